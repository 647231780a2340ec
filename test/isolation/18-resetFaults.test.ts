import { describe, expect, it } from 'vitest';
import { EngineBench } from '../engine/engineBench.ts';
import type { Faults } from '../host/fakeHost.ts';

const ROUNDS = 50;
const HANDSHAKE_MS = 20_000;
const FAULTS: Readonly<Record<string, Partial<Faults>>> = {
  'the container dies when it is asked': { diesAt: 'reset' },
  'the agent says nothing when it is asked': { silentAt: 'reset' },
  'the container dies before its report': { diesAt: 'report' },
  'the agent says nothing in the place of its report': { silentAt: 'report' },
  'something is left': { uncleanReset: true },
  'it calls itself clean and names what is left': { report: (truth) => ({ ...truth, leftovers: ['a file'] }) },
  'it calls itself not clean and names nothing': { report: (truth) => ({ ...truth, clean: false }) },
  'it brings no report': { report: () => null },
  'its report has other words': { report: ({ clean }) => ({ clean }) },
  'its report is no object': { report: () => 'clean' },
};

/** Ids of the sandboxes that have served and still exist. */
function used({ engine }: EngineBench): string[] {
  const sandboxes = engine.snapshot().environments.flatMap((environment) => environment.sandboxes);
  return sandboxes.filter(({ uses }) => uses > 0).map(({ id }) => id);
}

/** Longer than a reset may take, and shorter than a sandbox may exist. */
async function aSecondOf({ clock }: EngineBench): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) {
    clock.advance(25);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('row 18: a reset that fails at any step', () => {
  it.each(Object.entries(FAULTS))(`destroys the sandbox when %s, ${ROUNDS} times`, async (_, faults) => {
    const bench = new EngineBench({ pool: { size: 1, resetDeadlineMs: 250 } });
    const served = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = await bench.begin('sleep 10');
      Object.assign(bench.host.faults, faults);
      for (const id of used(bench)) served.add(id);
      bench.clock.advance(10);
      expect((await running.result).status).toBe('ok');
      await aSecondOf(bench);
      expect(used(bench)).toEqual([]);
      expect([...bench.host.containers.keys()].filter((id) => served.has(id))).toEqual([]);
      Object.assign(bench.host.faults, { diesAt: null, silentAt: null, uncleanReset: false, report: null });
      // A successor with the same fault has to be destroyed first.
      if (bench.states.includes('booting')) bench.clock.advance(HANDSHAKE_MS);
      await aSecondOf(bench);
    }
    expect(served.size).toBe(ROUNDS);
    await bench.engine.dispose();
  });

  it('is the only reason: without a fault one sandbox serves every run', async () => {
    const bench = new EngineBench({ pool: { size: 1 } });
    const served = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      expect((await bench.run('print x')).status).toBe('ok');
      for (const id of used(bench)) served.add(id);
    }
    expect(served.size).toBe(1);
    await bench.engine.dispose();
  });
});
