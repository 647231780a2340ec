import type { Clock } from '../../src/base/clock.ts';
import { toDisposable } from '../../src/base/disposable.ts';

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/** A clock that tests move by hand. */
export class ManualClock implements Clock {
  /** What `slowness` returns. */
  overload = 1;
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  schedule(ms: number, action: () => void) {
    const timer = { at: this.#now + ms, action };
    this.#timers.add(timer);
    return toDisposable(() => this.#timers.delete(timer));
  }

  slowness(): number {
    return this.overload;
  }

  /** Timers that are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances time and calls what is due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.action();
    }
    this.#now = end;
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
