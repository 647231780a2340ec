import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { type Disposable, toDisposable } from './disposable.ts';

/** Monotonic time and timers, so that tests can move time by hand. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back and ignores changes of the wall clock. */
  now(): number;
  /** Calls `action` once after `ms` milliseconds unless disposed first. */
  schedule(ms: number, action: () => void): Disposable;
  /**
   * By what factor the machine is slower now than a busy one, at least 1. What others are given to answer is multiplied
   * by it: a slow machine is not a dead one.
   */
  slowness(): number;
}

/** Programs that want a CPU, for each CPU, from which on a machine counts as slow. */
const BUSY = 4;

/** The machine's own clock; its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(ms, action) {
    const timer = setTimeout(action, ms);
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
  slowness: () => Math.max(1, load() / availableParallelism() / BUSY),
};

/** Programs that want a CPU: in the last minute, or now where the system tells it. 0 where it tells nothing (Windows). */
function load(): number {
  const [lastMinute = 0] = loadavg();
  return Math.max(lastMinute, wantingNow());
}

function wantingNow(): number {
  try {
    // The fourth field: how many want a CPU, of how many there are.
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
