import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** Why a run is being stopped: its time is over, its caller gave it up, or somebody interrupted its session. */
export type StopReason = 'timeout' | 'aborted' | 'interrupted';

/** One way to stop a run, taken when the one before did not help. */
export interface StopStep {
  /** Milliseconds after the step before. */
  readonly afterMs: number;
  readonly act: () => void;
}

/** Stops a run softly first and harder later, until disposed. The first reason wins. */
export class Stopper implements Disposable {
  readonly #clock: Clock;
  readonly #steps: readonly StopStep[];
  #timer: Disposable | null = null;
  #disposed = false;
  #reason: StopReason | null = null;

  constructor(clock: Clock, steps: readonly StopStep[]) {
    this.#clock = clock;
    this.#steps = steps;
  }

  /** Null while nobody has asked. */
  get reason(): StopReason | null {
    return this.#reason;
  }

  /** Starts with the first step; does nothing when it is under way already. */
  stop(reason: StopReason): void {
    if (this.#reason || this.#disposed) return;
    this.#reason = reason;
    this.#take(0);
  }

  /** Takes note of a stop that somebody else carries out. */
  note(reason: StopReason): void {
    this.#reason ??= reason;
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }

  #take(index: number): void {
    const step = this.#steps[index];
    if (!step || this.#disposed) return;
    const act = () => {
      step.act();
      this.#take(index + 1);
    };
    if (step.afterMs === 0) act();
    else this.#timer = this.#clock.schedule(step.afterMs, act);
  }
}
