import { readFileSync } from 'node:fs';

/** No step of the event loop may take longer; milliseconds of the reference core. */
export const LATE_MS = 50;

/** CPU time in milliseconds of the thread that runs the event loop; those beside it collect garbage and compile. */
function cpuTime(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

/** Fixed work of the kind that is measured: JSON with many keys and escapes is read and written. */
const YARDSTICK = JSON.stringify(
  Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`k${n}"é`, [n, `\n${n}`]])),
);
/** The kernel counts CPU time in ticks of 4 ms: enough rounds for ten of them. */
const ROUNDS = 25;
/** CPU time of the yardstick in milliseconds on the core that the bounds are meant for. */
const REFERENCE_MS = 60;

/** By what factor this core is slower now than the reference, at least 1: its clock and its neighbors matter. */
function slowness(): number {
  const before = cpuTime();
  for (let round = 0; round < ROUNDS; round += 1) JSON.stringify(JSON.parse(YARDSTICK));
  return Math.max(1, (cpuTime() - before) / REFERENCE_MS);
}

/**
 * Runs `work` and returns the longest delay of the event loop. Counts only time that its thread spent on a CPU: on a busy
 * machine it also waits for one. A delay over `LATE_MS` is in milliseconds of the reference core.
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
    // Slowness only makes the value smaller: one under the bound does not need it.
    return { result, lateMs: lateMs < LATE_MS ? lateMs : lateMs / slowness() };
  } finally {
    clearInterval(timer);
  }
}
