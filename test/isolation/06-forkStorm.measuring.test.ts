import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, lookAfter, PROCESSES } from './harness.ts';

const PIDS = 64;

// Every process forks as fast as it can. A thousand in all, so that the storm ends in any case. It is
// watched until it has grown, which takes longer on a busy machine, and then for half a second more.
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
start = full = time.monotonic()
while time.monotonic() < min(full + 0.5, start + 15):
    peak = max(peak, sum(name.isdigit() for name in os.listdir("/proc")))
    if peak <= ${PIDS / 2}: full = time.monotonic()
seen = peak`;

const isolated = fileFixture(() => isolationEngine({ limits: { pids: PIDS } }));

describe('row 6: a fork storm', () => {
  it('stays within its process limit', async () => {
    const peak = await look(isolated, STORM);
    expect(peak).toBeGreaterThan(PIDS / 2);
    expect(peak).toBeLessThanOrEqual(PIDS);
  });

  it('ends before the next run', async () => {
    const quiet = await look(isolated, PROCESSES);
    expect(await lookAfter(isolated, STORM, PROCESSES)).toBe(quiet);
  });

  // Measures a machine that others use too.
  it('delays the next run by less than two seconds', { retry: 2 }, async () => {
    await look(isolated, STORM);
    const started = performance.now();
    await look(isolated, PROCESSES);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
