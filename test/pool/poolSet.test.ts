import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Grant, Purpose } from '../../src/pool/lease.ts';
import { Pool } from '../../src/pool/pool.ts';
import { PoolSet } from '../../src/pool/poolSet.ts';
import { ManualClock } from '../host/manualClock.ts';
import { FakeSandbox } from './fakeSandbox.ts';
import { OPTIONS, owner, settled } from './poolBench.ts';

let pools: PoolSet;
let boots: string[];
afterEach(() => pools.dispose());

function open(max: number, options = { ...OPTIONS, size: 1 }): void {
  boots = [];
  const boot = (key: string) => async () => {
    await settled();
    boots.push(key);
    return new FakeSandbox(`${key} ${boots.length}`);
  };
  const make = (key: string) => new Pool({ boot: boot(key), options, clock: new ManualClock(), log: silentLog });
  pools = new PoolSet({ make, options, max });
}

const lease = (key: string, purpose: Purpose = 'run', signal?: AbortSignal) =>
  pools.lease(key, { owner: owner('a'), purpose }, signal);

async function take(key: string, purpose: Purpose = 'run') {
  const grant = await lease(key, purpose);
  if (grant.kind !== 'granted') throw new Error(`the lease was not granted: ${grant.kind}`);
  return grant.lease;
}

const slots = () =>
  pools
    .slots()
    .map(({ key, state }) => `${key} ${state}`)
    .sort();

/** Whether the request has been granted. */
async function hasCome(grant: Promise<Grant>): Promise<boolean> {
  let come = false;
  void grant.then(() => {
    come = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await settled();
  return come;
}

describe('the pools of an environment', () => {
  it('are separate for each key, and a sandbox serves one key only', async () => {
    open(2);
    const [x, y] = [await take('x'), await take('y')];
    x.release('reset');
    y.release('reset');
    await settled();
    expect((await take('y')).sandbox).toBe(y.sandbox);
    expect(slots()).toEqual(['x idle', 'y leased']);
    expect(boots).toEqual(['x', 'y']);
  });

  it('are evicted, the least recently used first, when another one needs room', async () => {
    open(2);
    for (const key of ['x', 'y', 'x', 'z']) {
      (await take(key)).release('reset');
      await settled();
    }
    await settled();
    expect(slots()).toEqual(['x idle', 'z idle']);
  });

  it('are evicted first when none of their sandboxes is leased', async () => {
    open(2);
    const busy = await take('x');
    (await take('y')).release('reset');
    await settled();
    (await take('z')).release('reset');
    await settled();
    expect(slots()).toEqual(['x leased', 'z idle']);
    busy.release('reset');
    await settled();
    expect(slots()).toEqual(['x idle', 'z idle']);
  });

  it('are kept until their last lease ends when they are evicted', async () => {
    open(1);
    const session = await take('x', 'session');
    const run = await take('x');
    (await take('y')).release('reset');
    await settled();
    await settled();
    expect(slots()).toEqual(['x leased', 'x leased', 'y idle']);
    run.release('reset');
    session.release('destroy');
    await settled();
    await settled();
    expect(slots()).toEqual(['y idle']);
  });

  it('queue requests for a new pool, in order, while every pool has waiting requests', async () => {
    open(1);
    const first = await take('x');
    const next = lease('x');
    const other = lease('y');
    const last = lease('z');
    expect(pools.waiting).toBe(3);
    expect(await hasCome(other)).toBe(false);
    first.release('reset');
    const granted = await next;
    const answer = await other;
    expect(answer.kind).toBe('granted');
    if (granted.kind === 'granted') granted.lease.release('reset');
    expect((await last).kind).toBe('granted');
  });

  it('drop an aborted request, and refuse requests beyond the limit', async () => {
    open(1, { ...OPTIONS, size: 1, maxWaiting: 1 });
    await take('x');
    void lease('x');
    const abort = new AbortController();
    const waiting = lease('y', 'run', abort.signal);
    expect(await lease('y')).toEqual({ kind: 'overloaded' });
    abort.abort();
    expect(await waiting).toEqual({ kind: 'aborted' });
    expect(pools.waiting).toBe(1);
  });

  it('can fail all waiting requests', async () => {
    open(1);
    await take('x');
    const waiting = [lease('x'), lease('y')];
    const cause = new Error('no host');
    pools.rejectWaiting(cause);
    expect(await Promise.all(waiting)).toEqual([
      { kind: 'failed', cause },
      { kind: 'failed', cause },
    ]);
    const more = [lease('x'), lease('y')];
    await pools.dispose();
    expect(await Promise.all(more)).toEqual([{ kind: 'closed' }, { kind: 'closed' }]);
    expect([await lease('x'), pools.slots()]).toEqual([{ kind: 'closed' }, []]);
  });

  it('are warmed while there is room, and evicted when the maximum shrinks', async () => {
    open(2);
    pools.warm(['x', 'y', 'z']);
    await settled();
    await settled();
    expect(slots()).toEqual(['x idle', 'y idle']);
    pools.configure({ ...OPTIONS, size: 1 }, 1);
    await settled();
    expect(slots()).toEqual(['y idle']);
  });

  it('replace warm sandboxes for a new boot, and stop one sandbox by its id', async () => {
    open(2);
    (await take('x')).release('reset');
    await settled();
    pools.configure({ ...OPTIONS, size: 1 }, 2, (key) => async () => new FakeSandbox(`new ${key}`));
    await settled();
    expect(pools.slots().map(({ id }) => id)).toEqual(['new x']);
    pools.stop('new x');
    await settled();
    expect((await take('x')).sandbox.id).toBe('new x');
  });
});
