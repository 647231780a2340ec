import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResetReport } from '../../src/protocol/messages.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { fileFixture } from '../fileFixture.ts';
import { once, realSandbox } from '../languages/python/harness.ts';
import { isOnLocalHost } from '../testHost.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

const REUSES = 1_000;
const RUNS = ['print("x" * 1000)', 'open("f", "w").write("x" * 100_000)', 'held = [0] * 1_000_000', '1 / 0'];

describe('row 20: accumulation', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await realSandbox();
    await sandbox.request({ op: 'preload', modules: ['numpy'] });
  });
  afterAll(() => sandbox.dispose());

  const reuse = async (round: number): Promise<ResetReport> => {
    await once(sandbox, RUNS[round % RUNS.length] ?? '');
    const report = await sandbox.reset(5_000);
    expect(report).toMatchObject({ clean: true, leftovers: [] });
    return report;
  };

  it(`is nothing in ${REUSES} reuses of one sandbox: the same descriptors, at most 5 % more memory`, async () => {
    let first = await reuse(0);
    for (let round = 1; round < 20; round += 1) first = await reuse(round);
    let last = first;
    for (let round = 0; round < REUSES; round += 1) last = await reuse(round);
    expect(last.fds).toBe(first.fds);
    expect(first.fds).toBeGreaterThan(3);
    expect(last.memoryBytes).toBeLessThan(first.memoryBytes * 1.05);
    expect(first.memoryBytes).toBeGreaterThan(8 << 20);
  });
});

describe('row 20: memory that no process holds', () => {
  const isolated = fileFixture(() => isolationEngine());

  // Only a control group counts them.
  it.skipIf(isOnLocalHost)('ends a sandbox: dentries of names that do not exist', async () => {
    await run(isolated, '1');
    const [spoilt = ''] = sandboxes(isolated);
    const code = `
import os
for number in range(200_000):
    try: os.stat("/usr/%s%d" % ("x" * 100, number))
    except FileNotFoundError: pass`;
    expect((await run(isolated, code)).status).toBe('ok');
    expect(await look(isolated, 'seen = 1')).toBe(1);
    expect(sandboxes(isolated)).not.toContain(spoilt);
  });
});
