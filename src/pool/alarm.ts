import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** One timer that moves only to an earlier time: ringing early is harmless, and moving it often is slow. */
export class Alarm implements Disposable {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { readonly at: number; readonly timer: Disposable } | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `at` by the clock, or earlier; null changes nothing. */
  set(at: number | null): void {
    if (at === null || (this.#set && this.#set.at <= at)) return;
    this.#set?.timer.dispose();
    const timer = this.#clock.schedule(at - this.#clock.now(), () => {
      this.#set = null;
      this.#ring();
    });
    this.#set = { at, timer };
  }

  dispose(): void {
    this.#set?.timer.dispose();
    this.#set = null;
  }
}
