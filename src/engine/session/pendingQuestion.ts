import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** From the first cell that waits for a question to the first interrupt: most questions are over by then. */
const GRACE_MS = 300;
/** From one interrupt to the next. */
const AGAIN_MS = 1_000;
/** After it a question counts as one that does not stop. */
const STUCK_MS = 10_000;

/**
 * A question that an interpreter works on, until it is disposed. It may run code of the user, for example of properties;
 * so it is only ever interrupted, and only when something waits for it. It never costs the interpreter its life.
 */
export class PendingQuestion implements Disposable {
  readonly #clock: Clock;
  readonly #interrupt: () => void;
  readonly #stuck = new AbortController();
  #timers: readonly Disposable[] = [];

  constructor(clock: Clock, interrupt: () => void) {
    this.#clock = clock;
    this.#interrupt = interrupt;
  }

  /** Aborts when it has been hurried for long and goes on. */
  get stuck(): AbortSignal {
    return this.#stuck.signal;
  }

  /** Interrupts it soon, and again until it ends. */
  hurry(): void {
    if (this.#timers.length > 0) return;
    this.#timers = [
      this.#clock.schedule(STUCK_MS, () => this.#stuck.abort()),
      this.#clock.schedule(GRACE_MS, () => this.#again()),
    ];
  }

  dispose(): void {
    for (const timer of this.#timers) timer.dispose();
  }

  #again(): void {
    this.#interrupt();
    const [deadline] = this.#timers;
    const next = this.#clock.schedule(AGAIN_MS, () => this.#again());
    this.#timers = deadline ? [deadline, next] : [next];
  }
}
