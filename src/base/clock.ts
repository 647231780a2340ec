import { type Disposable, toDisposable } from './disposable.ts';

/** Monotonic time and timers, so that tests can move time by hand. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back and ignores changes of the wall clock. */
  now(): number;
  /** Calls `action` once after `ms` milliseconds unless disposed first. */
  schedule(ms: number, action: () => void): Disposable;
}

/** The machine's own clock; its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(ms, action) {
    const timer = setTimeout(action, ms);
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
};
