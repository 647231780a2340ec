import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Isolated, isolationEngine, look, lookAfter, PROCESSES } from './harness.ts';

const PIDS = 64;

// Every process forks as fast as it can. A thousand in all, so that the storm would end if nothing else ended it.
const STORM = `
import os, time
tokens, refill = os.pipe()
os.write(refill, b"x" * 1000)
def storm():
    while True:
        os.read(tokens, 1)
        try: os.fork()
        except OSError: os.write(refill, b"x")
for _ in range(2):
    if os.fork() == 0:
        storm()
peak = 0
end = time.monotonic() + 0.5
while time.monotonic() < end:
    peak = max(peak, sum(name.isdigit() for name in os.listdir("/proc")))
seen = peak`;

let isolated: Isolated;
beforeAll(async () => {
  isolated = await isolationEngine({ limits: { pids: PIDS } });
});
afterAll(() => isolated.dispose());

describe('row 6: a fork storm', () => {
  it('stays within its limit', async () => {
    const peak = await look(isolated, STORM);
    expect(peak).toBeGreaterThan(PIDS / 2);
    expect(peak).toBeLessThanOrEqual(PIDS);
  });

  it('is over before the next run, which answers within two seconds', async () => {
    const quiet = await look(isolated, PROCESSES);
    await look(isolated, STORM);
    const started = performance.now();
    expect(await look(isolated, PROCESSES)).toBe(quiet);
    expect(performance.now() - started).toBeLessThan(2_000);
    // And it was the sandbox of the storm that answered.
    expect(await lookAfter(isolated, STORM, PROCESSES)).toBe(quiet);
  });
});
