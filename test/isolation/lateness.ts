/**
 * Does something and tells by how many milliseconds the event loop was late at most, as far as this process was at work
 * then: on a crowded machine it also waits for a CPU, which no code can help.
 */
export async function latenessOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly lateMs: number }> {
  const everyMs = 5;
  let lateMs = 0;
  let last = performance.now();
  let busy = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(busy);
    lateMs = Math.max(lateMs, Math.min(now - last - everyMs, (user + system) / 1000));
    last = now;
    busy = process.cpuUsage();
  }, everyMs);
  try {
    const result = await work();
    return { result, lateMs };
  } finally {
    clearInterval(timer);
  }
}
