import { describe, expect, it } from 'vitest';
import { isOwnerAlive, machineId, processIdentity, thisOwner } from '../../src/host/identity.ts';
import { deadOwner } from './deadOwner.ts';

/** What Kubernetes takes as the value of a label, the narrowest form among hosts. */
const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

describe('identity', () => {
  it('names this machine the same each time, and reveals nothing about it', async () => {
    expect(await machineId()).toMatch(/^[0-9a-f]{32}$/);
    expect(await machineId()).toBe(await machineId());
  });

  it('consists of values that every host accepts as labels', async () => {
    const { machine, owner } = await processIdentity();
    expect(machine).toMatch(LABEL_VALUE);
    expect(owner).toMatch(LABEL_VALUE);
  });

  it('reports its own process as alive', async () => {
    expect(await thisOwner()).toBe(await thisOwner());
    expect(await isOwnerAlive(await thisOwner())).toBe(true);
  });

  it('reports an ended process as dead', async () => {
    expect(await isOwnerAlive(await deadOwner())).toBe(false);
  });

  it.each(['', 'nobody', '12', 'a:b', '1:2:3', `${process.pid}:`])(
    'reports the unreadable owner %j as alive',
    async (owner) => {
      expect(await isOwnerAlive(owner)).toBe(true);
    },
  );
});
