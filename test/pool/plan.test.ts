import { describe, expect, it } from 'vitest';
import { plan } from '../../src/pool/plan.ts';
import type { Slot } from '../../src/pool/slot.ts';
import type { PoolState } from '../../src/pool/state.ts';
import { FakeSandbox } from './fakeSandbox.ts';
import { OPTIONS, owner } from './poolBench.ts';

function idle(id: number, ownerId: string | null, createdAtMs = 0, since = createdAtMs): Slot {
  const sandbox = new FakeSandbox(`sandbox-${id}`);
  const uses = ownerId === null ? 0 : 1;
  const pooled = {
    sandbox,
    createdAtMs,
    createdAtEpochMs: 0,
    generation: 1,
    owner: ownerId === null ? null : owner(ownerId),
    uses,
  };
  return { kind: 'idle', id, pooled, since };
}

function state(rest: Partial<PoolState>): PoolState {
  return { options: OPTIONS, slots: [], waiters: [], generation: 1, usedAt: 0, backoff: null, ...rest };
}

describe('a plan', () => {
  it('grants an owner its own sandbox before a fresh one', () => {
    const slots = [idle(1, null), idle(2, 'a')];
    const waiters = [{ number: 1, owner: owner('a'), purpose: 'run' as const }];
    const { actions } = plan(state({ slots, waiters }), 0);
    expect(actions).toEqual([{ kind: 'grant', waiter: waiters[0], slot: slots[1] }]);
  });

  it('grants the sandbox that has been idle for the longest time', () => {
    const slots = [idle(1, 'a', 0, 30), idle(2, 'a', 0, 10)];
    const waiters = [{ number: 1, owner: owner('a'), purpose: 'run' as const }];
    expect(plan(state({ slots, waiters }), 40).actions).toMatchObject([{ kind: 'grant', slot: { id: 2 } }]);
  });

  it('wakes at the maximum age of the oldest used sandbox, or after as long without use', () => {
    const slots = [idle(1, 'a', 2_000), idle(2, 'a', 1_000), idle(3, null, 0)];
    expect(plan(state({ slots, usedAt: 4_000 }), 5_000).wakeAt).toBe(301_000);
    expect(plan(state({ slots, usedAt: 500 }), 5_000).wakeAt).toBe(300_500);
  });

  it('wakes at the end of the backoff for a request that needs the slot of another owner', () => {
    const slots = [idle(1, 'a'), idle(2, 'a')];
    const waiters = [{ number: 3, owner: owner('b'), purpose: 'run' as const }];
    const backoff = { failures: 1, reason: 'no image', until: 500, lastWaiter: 3 };
    expect(plan(state({ slots, waiters, backoff }), 100)).toEqual({ actions: [], wakeAt: 500 });
    const later = plan(state({ slots, waiters, backoff }), 500);
    expect(later.actions.map(({ kind }) => kind)).toEqual(['retire', 'boot']);
  });

  it('boots a sandbox for the next request once a long run has released its slot', () => {
    const slot = (purpose: 'run' | 'overflow'): Slot => {
      const { id, ...rest } = idle(1, 'a');
      return rest.kind === 'idle' ? { kind: 'leased', id, pooled: rest.pooled, purpose } : { id, ...rest };
    };
    const options = { ...OPTIONS, size: 1 };
    const waiters = [{ number: 1, owner: owner('b'), purpose: 'run' as const }];
    expect(plan(state({ options, waiters, slots: [slot('run')] }), 0).actions).toEqual([]);
    expect(plan(state({ options, waiters, slots: [slot('overflow')] }), 0).actions).toEqual([{ kind: 'boot' }]);
  });
});
