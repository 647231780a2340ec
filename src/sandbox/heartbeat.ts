import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** An agent of which nothing is heard for so long after a question, or whatever stands between, counts as gone. */
export const ANSWER_MS = 6_000;

/** What a heartbeat works with. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Milliseconds from an answer to the next question. */
  readonly everyMs: number;
  /** Asks the agent; settles with its answer. */
  readonly ask: () => Promise<unknown>;
  /** Called once, when nothing was heard for `ANSWER_MS`. */
  readonly onSilence: () => void;
}

/** Asks an agent whether it lives, again and again until it is disposed. */
export class Heartbeat implements Disposable {
  readonly #options: HeartbeatOptions;
  #timer: Disposable;
  /** An answer is waited for. */
  #owed = false;
  /** Nothing was heard since that was looked at last. */
  #silent = false;
  #over = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timer = this.#rest();
  }

  /** Whatever comes from the agent is a sign of life. */
  heard(): void {
    this.#silent = false;
  }

  dispose(): void {
    this.#over = true;
    this.#timer.dispose();
  }

  #rest(): Disposable {
    const { clock, everyMs } = this.#options;
    return clock.schedule(everyMs, () => this.#beat());
  }

  #beat(): void {
    this.#owed = true;
    this.#timer = this.#wait();
    const answered = () => {
      this.#owed = false;
      this.#timer.dispose();
      if (!this.#over) this.#timer = this.#rest();
    };
    void this.#options.ask().then(answered, answered);
  }

  #wait(): Disposable {
    this.#silent = true;
    const { clock, onSilence } = this.#options;
    return clock.schedule(ANSWER_MS, () => {
      // A process that was asleep finds its timers due before it has read what came meanwhile.
      setImmediate(() => {
        if (this.#over || !this.#owed) return;
        if (this.#silent) onSilence();
        else this.#timer = this.#wait();
      });
    });
  }
}
