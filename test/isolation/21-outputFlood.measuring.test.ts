import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import { type Isolated, isolationEngine, look, run, sandboxes } from './harness.ts';

const MB = 1 << 20;
const GB = 1 << 30;
const KEPT = 1024 * 1024;

// Writes `GIGABYTES` to a descriptor without a newline.
const FLOOD = `
import os
def flood(fd, gigabytes):
    piece = b"x" * (1 << 20)
    for _ in range(1024 * gigabytes):
        left = memoryview(piece)
        while left: left = left[os.write(fd, left):]
`;
const TEN_GIGABYTES = `${FLOOD}\nflood(1, 8)\nflood(2, 2)`;
// The descriptors that the driver has beside the three of every program, and that take bytes.
const DRIVERS = `
import fcntl
def takes(fd):
    try: return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
    except OSError: return False
drivers = [fd for fd in range(3, 64) if takes(fd)]
`;

/** Runs `work` and returns its cost to this process: bytes of memory at the peak, and the longest pause, in ms. */
async function watched(work: () => Promise<RunResult>) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  delay.enable();
  const result = await work();
  delay.disable();
  clearInterval(timer);
  return { result, growth: peak - before, lagMs: delay.max / 1e6 };
}

let isolated: Isolated;
beforeAll(async () => {
  isolated = await isolationEngine();
  await run(isolated, `${FLOOD}\nflood(1, 1)`);
});
afterAll(() => isolated.dispose());

describe('row 21: ten gigabytes of output', () => {
  // Measures a machine that others use too.
  it('are counted to the byte and cut, at little cost to the engine', { retry: 2 }, async () => {
    const { result, growth, lagMs } = await watched(() => run(isolated, TEN_GIGABYTES, { timeoutSeconds: 120 }));
    expect(result).toMatchObject({ status: 'ok', truncated: true, stdoutBytes: 8 * GB, stderrBytes: 2 * GB });
    expect([result.stdout.length, result.stderr.length]).toEqual([KEPT, KEPT]);
    expect(growth).toBeLessThan(20 * MB);
    expect(lagMs).toBeLessThan(100);
  });

  it('and displays beyond their limit are counted and cut too', async () => {
    const { result, growth } = await watched(() => run(isolated, 'for _ in range(200): display("x" * 1_000_000)'));
    expect(result).toMatchObject({ status: 'ok', truncated: true });
    expect(result.displays.length).toBeLessThan(20);
    expect(growth).toBeLessThan(100 * MB);
  });
});

describe('row 22: one line of a gigabyte', () => {
  it.each([
    ['stdout', 'flood(1, 1)'],
    ['stderr', 'flood(2, 1)'],
    ["the driver's own channels", `${DRIVERS}\nfor fd in drivers: flood(fd, 1)`],
    ['a result', '"x" * (100 << 20)'],
    ['an error', 'raise ValueError("x" * (100 << 20))'],
    ['a name', 'globals()["x" * (50 << 20)] = 1'],
  ])('on %s is cut, and sandbox and engine continue', async (_, code) => {
    const before = sandboxes(isolated);
    const { status, stdout, stderr, error } = await run(isolated, `${FLOOD}\n${code}`, { state: {} });
    expect(status).toBe(code.startsWith('raise') ? 'error' : 'ok');
    expect(stdout.length + stderr.length + (error?.message.length ?? 0)).toBeLessThan(2 * KEPT);
    expect(await look(isolated, 'seen = 1')).toBe(1);
    expect(sandboxes(isolated)).toEqual(before);
  });
});
