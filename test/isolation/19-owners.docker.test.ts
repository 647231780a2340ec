import { describe, expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look } from './harness.ts';

const OWNERS: readonly Owner[] = Array.from({ length: 10 }, (_, n) => ({
  id: `owner ${n}`,
  kind: 'mcp',
  label: 'one',
}));
const ROUNDS = 6;
// What no two containers have in common: when their first process started, and their namespace.
const WHO = 'import os\nseen = open("/proc/1/stat").read().split()[21] + os.readlink("/proc/self/ns/ipc")';

const isolated = fileFixture(() => isolationEngine({ pool: { size: 2 } }));

describe('row 19: owners on real containers', () => {
  it('never share a sandbox, and get their own one again', async () => {
    const owners = new Map<string, Set<string>>();
    const visit = async (owner: Owner) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const container = String(await look(isolated, WHO, { owner }));
        owners.set(container, (owners.get(container) ?? new Set()).add(owner.id));
      }
    };
    // Two at a time, so that they compete for places.
    for (let pair = 0; pair < OWNERS.length; pair += 2) await Promise.all(OWNERS.slice(pair, pair + 2).map(visit));
    await Promise.all(OWNERS.slice(0, 2).map(visit));
    expect([...owners.values()].filter((names) => names.size > 1)).toEqual([]);
    expect(owners.size).toBeGreaterThanOrEqual(OWNERS.length);
    expect(owners.size).toBeLessThan(ROUNDS * OWNERS.length);
  });
});
