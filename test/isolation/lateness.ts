import { readFileSync } from 'node:fs';

/** CPU time in milliseconds of the thread that runs the event loop; those beside it collect garbage and compile. */
function cpuTime(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

/**
 * Does something and tells by how many milliseconds the event loop was late at most, as far as it was at work then: on a
 * crowded machine it also waits for a CPU, which no code can help.
 */
export async function latenessOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly lateMs: number }> {
  const everyMs = 5;
  let lateMs = 0;
  let last = performance.now();
  let cpu = cpuTime();
  const look = () => {
    const [now, used] = [performance.now(), cpuTime()];
    lateMs = Math.max(lateMs, Math.min(now - last - everyMs, used - cpu));
    last = now;
    cpu = used;
  };
  const timer = setInterval(look, everyMs);
  try {
    const result = await work();
    // The last step may be the longest, and the timer has not come since.
    look();
    return { result, lateMs };
  } finally {
    clearInterval(timer);
  }
}
