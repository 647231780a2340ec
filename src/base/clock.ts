import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { type Disposable, toDisposable } from './disposable.ts';

/** Monotonic time and timers. Tests replace it to advance time by hand. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back and ignores changes of the wall clock. */
  now(): number;
  /** Calls `action` once after `ms` milliseconds unless disposed first. */
  schedule(ms: number, action: () => void): Disposable;
  /** The factor by which the machine is overloaded now, at least 1. Multiply deadlines of other processes by it. */
  slowness(): number;
}

/** Runnable processes per CPU above which a machine counts as slow. */
const BUSY = 4;
/** How long a reading of the load is used, in milliseconds. Each run asks, and a reading costs a dozen system calls. */
const LOAD_MS = 500;

/** The machine's own clock; its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(ms, action) {
    const timer = setTimeout(action, ms);
    timer.unref();
    return toDisposable(() => clearTimeout(timer));
  },
  slowness() {
    const now = performance.now();
    if (now - lastReading.atMs >= LOAD_MS) lastReading = { atMs: now, slowness: readSlowness() };
    return lastReading.slowness;
  },
};

let lastReading = { atMs: Number.NEGATIVE_INFINITY, slowness: 1 };

function readSlowness(): number {
  return Math.max(1, load() / availableParallelism() / BUSY);
}

/** Runnable processes: the higher of the last minute's mean and the current number. 0 where unknown (Windows). */
function load(): number {
  const [lastMinute = 0] = loadavg();
  return Math.max(lastMinute, runnableNow());
}

function runnableNow(): number {
  try {
    // The fourth field: runnable processes of all.
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
