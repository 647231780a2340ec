import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isOwnerAlive, machineId, ownerLabel, thisOwner } from '../../src/host/identity.ts';

describe('identity', () => {
  it('names this machine the same each time, and in words that tell nothing', async () => {
    expect(await machineId()).toMatch(/^[0-9a-f]{32}$/);
    expect(await machineId()).toBe(await machineId());
  });

  it('finds its own process alive', async () => {
    expect(await thisOwner()).toMatch(new RegExp(`^${process.pid}:`));
    expect(await isOwnerAlive(await thisOwner())).toBe(true);
  });

  it('finds a process that has ended dead', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const owner = ownerLabel(child.pid ?? 0, null);
    await once(child, 'exit');
    expect(await isOwnerAlive(owner)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('tells a process from an earlier one of the same number', async () => {
    expect(await isOwnerAlive(ownerLabel(process.pid, '1'))).toBe(false);
  });

  it.each(['', 'nobody', '12', 'a:b', '1:2:3'])(
    'touches nothing of the owner %j, which it cannot read',
    async (owner) => {
      expect(await isOwnerAlive(owner)).toBe(true);
    },
  );
});
