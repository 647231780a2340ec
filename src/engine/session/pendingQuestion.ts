import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** From the first cell that waits for the question to the first interrupt; most questions end before. */
const GRACE_MS = 300;
/** Between interrupts. */
const REPEAT_MS = 1_000;
/** After this the question counts as stuck. */
const STUCK_MS = 10_000;

/**
 * A question that an interpreter works on, until disposed. It may run user code, for example of properties; so it is only
 * interrupted, only when a cell waits for it, and the interpreter is never killed for it.
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

  /** Aborts when the question ignores interrupts for too long. */
  get stuck(): AbortSignal {
    return this.#stuck.signal;
  }

  /** Interrupts the question soon, and again until it ends. */
  hurry(): void {
    if (this.#timers.length > 0) return;
    this.#timers = [
      this.#clock.schedule(STUCK_MS, () => this.#stuck.abort()),
      this.#clock.schedule(GRACE_MS, () => this.#interruptAgain()),
    ];
  }

  dispose(): void {
    for (const timer of this.#timers) timer.dispose();
  }

  #interruptAgain(): void {
    this.#interrupt();
    const [deadline] = this.#timers;
    const next = this.#clock.schedule(REPEAT_MS, () => this.#interruptAgain());
    this.#timers = deadline ? [deadline, next] : [next];
  }
}
