import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** Why a run is stopped: its timeout, its caller's signal, or an interrupt of its session. */
export type StopReason = 'timeout' | 'aborted' | 'interrupted';

/** One way to stop a run, tried when the previous one has not worked. */
export interface StopStep {
  /** Milliseconds after the previous step. */
  readonly afterMs: number;
  readonly act: () => void;
}

/** What can be stopped, or is stopped elsewhere for a reason; the first reason wins. */
export interface Stoppable {
  stop(reason: StopReason): void;
  setReason(reason: StopReason): void;
}

/** Terminates a run in steps, each harder than the last, until disposed. The first reason wins. */
export class Terminator implements Disposable, Stoppable {
  readonly #clock: Clock;
  readonly #steps: readonly StopStep[];
  #timer: Disposable | null = null;
  #disposed = false;
  #reason: StopReason | null = null;

  constructor(clock: Clock, steps: readonly StopStep[]) {
    this.#clock = clock;
    this.#steps = steps;
  }

  /** Null until `stop` or `setReason` is called. */
  get reason(): StopReason | null {
    return this.#reason;
  }

  /** Starts with the first step; does nothing once it has started. */
  stop(reason: StopReason): void {
    if (this.#reason || this.#disposed) return;
    this.#reason = reason;
    this.#runStep(0);
  }

  /** Records the reason of a stop that happens elsewhere. */
  setReason(reason: StopReason): void {
    this.#reason ??= reason;
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }

  #runStep(index: number): void {
    const step = this.#steps[index];
    if (!step || this.#disposed) return;
    const act = () => {
      step.act();
      this.#runStep(index + 1);
    };
    if (step.afterMs === 0) act();
    else this.#timer = this.#clock.schedule(step.afterMs, act);
  }
}
