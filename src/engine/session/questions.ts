import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { Interpreter } from '../../languages/language.ts';
import { PendingQuestion } from './pendingQuestion.ts';

/**
 * A caller waits this long for an answer, longer on a busy machine; the question itself may take longer. Milliseconds.
 */
const ANSWER_MS = 2_000;

/** A question to an interpreter between cells, such as a completion. */
export type Question<T> = (interpreter: Interpreter) => Promise<T>;

/** The questions to the interpreter of a session, one at a time. */
export class Questions {
  readonly #clock: Clock;
  #pending: PendingQuestion | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The question that the interpreter works on. */
  get pending(): PendingQuestion | null {
    return this.#pending;
  }

  /** The answer; `nothing` when the question fails. */
  async ask<T>(interpreter: Interpreter, question: Question<T>, nothing: T): Promise<T> {
    const pending = new PendingQuestion(this.#clock, () => interpreter.interrupt());
    this.#pending = pending;
    try {
      return await question(interpreter);
    } catch {
      return nothing;
    } finally {
      pending.dispose();
      this.#pending = null;
    }
  }

  /** The answer, or `nothing` when it takes too long or `signal` aborts. */
  async inTime<T>(answered: Promise<T>, nothing: T, signal?: AbortSignal): Promise<T> {
    const givenUp = deferred<T>();
    const giveUp = () => givenUp.resolve(nothing);
    const timer = this.#clock.schedule(ANSWER_MS * this.#clock.slowness(), giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    const answer = await Promise.race([answered, givenUp.promise]);
    timer.dispose();
    signal?.removeEventListener('abort', giveUp);
    return answer;
  }
}
