import type { Clock } from '../../base/clock.ts';
import type { CopyLosses, Interpreter, InterpreterCopies } from '../../languages/language.ts';
import { type Executed, execute, type RunTerms } from '../run/execute.ts';
import { type Stoppable, type StopReason, Terminator } from '../run/terminator.ts';
import type { LiveInterpreter } from './lifecycle.ts';

/** A copy that does not end when it is killed costs the session its sandbox after so long. Milliseconds. */
const END_MS = 5_000;
/** An interpreter that has not copied itself so long after the last candidate has ended is killed. Milliseconds. */
const COPY_GRACE_MS = 3_000;

/** Which copy is kept: the one at a position, the first with status `ok`, or none. */
export type Choice = number | 'first' | 'none';

/** What a trial works with. */
export interface TrialTerms extends RunTerms {
  readonly clock: Clock;
  readonly choice: Choice;
  /** File name in tracebacks. */
  readonly name: string;
}

/** How the candidates ended. */
export interface Tried {
  readonly executed: readonly Executed[];
  /** The copy to keep, and its position. */
  readonly kept: { readonly interpreter: Interpreter; readonly index: number } | null;
  /** null when the interpreter of the session has ended. */
  readonly losses: CopyLosses | null;
}

/** Runs candidates side by side, each on a copy of a session's interpreter. */
export class Trial implements Stoppable {
  readonly #live: LiveInterpreter;
  readonly #terms: TrialTerms;
  readonly #terminators: readonly Terminator[];
  readonly #copies: InterpreterCopies;
  readonly #ends: Promise<void>[] = [];
  /** The position of the copy that is kept as far as is known. */
  #best: number | null = null;

  constructor(live: LiveInterpreter, copies: InterpreterCopies, terms: TrialTerms) {
    this.#live = live;
    this.#copies = copies;
    this.#terms = terms;
    this.#terminators = copies.interpreters.map((copy) => this.#terminatorOf(copy));
  }

  stop(reason: StopReason): void {
    for (const terminator of this.#terminators) terminator.stop(reason);
  }

  setReason(reason: StopReason): void {
    for (const terminator of this.#terminators) terminator.setReason(reason);
  }

  /** Resolves when every candidate has ended and so has every copy but the one that is kept. Never rejects. */
  async run(codes: readonly string[]): Promise<Tried> {
    const executed = await Promise.all(codes.map((code, index) => this.#runOne(code, index)));
    const losses = await this.#lossesInTime();
    await Promise.all(this.#ends);
    const interpreter = this.#best === null ? undefined : this.#copies.interpreters[this.#best];
    const kept = interpreter && this.#best !== null ? { interpreter, index: this.#best } : null;
    return { executed, kept, losses };
  }

  /** Ends a process; resolves when it has ended. */
  async end(interpreter: Interpreter): Promise<void> {
    const terminator = this.#terminatorOf(interpreter);
    terminator.stop('interrupted');
    await interpreter.ended;
    terminator.dispose();
  }

  #terminatorOf(interpreter: Interpreter): Terminator {
    const { clock } = this.#terms;
    const { sandbox } = this.#live.lease;
    return new Terminator(clock, [
      { afterMs: 0, act: () => interpreter.kill() },
      { afterMs: END_MS * clock.slowness(), act: () => void sandbox.dispose().catch(() => {}) },
    ]);
  }

  async #runOne(code: string, index: number): Promise<Executed> {
    const { interpreters } = this.#copies;
    const [interpreter, terminator] = [interpreters[index], this.#terminators[index]];
    if (!interpreter || !terminator) throw new Error('there are fewer copies than candidates');
    const cell = { code, name: this.#terms.name, stdin: '', state: null };
    const executed = await execute({ ...this.#terms, interpreter, terminator, cell });
    const isBest = this.#isBest(executed, index);
    const worse = isBest ? this.#best : index;
    if (isBest) this.#best = index;
    const ended = worse === null ? undefined : interpreters[worse];
    // At once, so that those that still run have its memory.
    if (ended) this.#ends.push(this.end(ended));
    return executed;
  }

  #isBest({ end, stopped }: Executed, index: number): boolean {
    const { choice } = this.#terms;
    if (end.status !== 'ok' || !end.alive || stopped) return false;
    return choice === 'first' ? index < (this.#best ?? Number.POSITIVE_INFINITY) : choice === index;
  }

  /** User code that keeps the interpreter from copying itself ends it, as a cell that cannot be interrupted does. */
  async #lossesInTime(): Promise<CopyLosses | null> {
    const { clock } = this.#terms;
    const late = clock.schedule(COPY_GRACE_MS * clock.slowness(), () => this.#live.interpreter.kill());
    const losses = await this.#copies.losses;
    late.dispose();
    return losses;
  }
}
