import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { Grant, Release } from '../../src/pool/lease.ts';
import type { ResetReport } from '../../src/protocol/messages.ts';
import { CLEAN } from './fakeSandbox.ts';
import { OPTIONS, owner, PoolBench, settled } from './poolBench.ts';

/** Options with which a sandbox's first use is its last, when it takes a second. */
const LAST_USES = [{ maxUses: 1 }, { reuse: 'never' as const }, { maxAgeSeconds: 1 }];

/** The only sandbox of a pool, after a use of a second. */
async function releasedAfterUse(options: (typeof LAST_USES)[number], release: Release) {
  const bench = await PoolBench.warm({ size: 1, ...options });
  const lease = await bench.take('a');
  bench.clock.advance(1000);
  lease.release(release);
  return bench.sandboxOf(lease);
}

describe('a new pool', () => {
  it('creates nothing before the first lease', async () => {
    const bench = new PoolBench();
    bench.clock.advance(3_600_000);
    await settled();
    expect(bench.boots).toBe(0);
  });

  it('creates one sandbox for the first lease, and the rest when it has booted', async () => {
    const bench = new PoolBench({ size: 3 });
    bench.bootMs = null;
    const lease = bench.lease('a');
    expect(bench.boots).toBe(1);
    await bench.finishBoot();
    expect((await lease).kind).toBe('granted');
    expect(bench.boots).toBe(3);
  });

  it('is full from the start, and stays full, with prewarm', async () => {
    const bench = new PoolBench({ prewarm: true });
    await settled();
    expect(bench.states).toEqual(['idle', 'idle']);
    bench.clock.advance(301_000);
    await settled();
    await settled();
    // A sandbox that has never served does not age.
    expect(bench.living).toHaveLength(2);
    expect(bench.made).toHaveLength(2);
  });

  it('never boots more sandboxes at a time than maxConcurrentCreations', async () => {
    const bench = new PoolBench({ size: 10, maxConcurrentCreations: 3 });
    const leases = Array.from({ length: 10 }, (_, number) => bench.take(`owner ${number}`));
    await Promise.all(leases);
    expect(bench.mostBooting).toBe(3);
  });
});

describe('a lease', () => {
  it('is granted in the same turn when a sandbox is idle', async () => {
    const bench = await PoolBench.warm();
    let granted = false;
    void bench.lease('a').then(() => {
      granted = true;
    });
    for (let microtask = 0; microtask < 5; microtask += 1) await Promise.resolve();
    expect(granted).toBe(true);
  });

  it('can be released only once', async () => {
    const bench = await PoolBench.warm();
    const lease = await bench.take('a');
    lease.release('reset');
    expect(() => lease.release('destroy')).toThrow('released twice');
    await settled();
    expect(bench.states).toEqual(['idle', 'idle']);
  });

  it('returns its sandbox, which is reset and then serves the same owner', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const first = await bench.take('a');
    first.release('reset');
    const second = await bench.take('a');
    expect(second.sandbox).toBe(first.sandbox);
    expect(bench.sandboxOf(second).resets).toBe(1);
  });

  it('returns a sandbox that serves again only after its preparation', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const prepared = deferred<void>();
    bench.prepare = () => prepared.promise;
    const first = await bench.take('a');
    first.release('reset');
    await settled();
    expect(bench.states).toEqual(['resetting']);
    prepared.resolve();
    const second = await bench.take('a');
    expect(second.sandbox).toBe(first.sandbox);
  });

  it('destroys the sandbox at its last use, at its maximum age, or with reuse never', async () => {
    for (const options of LAST_USES) {
      expect(await releasedAfterUse(options, 'reset')).toMatchObject({ disposed: true, resets: 0 });
    }
  });

  it('can keep its sandbox without a reset, for the same owner only', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const first = await bench.take('a');
    first.release('keep');
    expect(bench.states).toEqual(['idle']);
    const second = await bench.take('a');
    expect([second.sandbox, bench.sandboxOf(second).resets]).toEqual([first.sandbox, 0]);
    second.release('keep');
    const other = await bench.take('b');
    expect(other.sandbox).not.toBe(first.sandbox);
    expect(bench.sandboxOf(second).disposed).toBe(true);
  });

  it('cannot keep its sandbox at its last use, at its maximum age, with reuse never, or for a session', async () => {
    for (const options of LAST_USES) expect((await releasedAfterUse(options, 'keep')).disposed).toBe(true);
    const bench = await PoolBench.warm({ size: 1 });
    const session = await bench.take('a', 'session');
    session.release('keep');
    expect(bench.sandboxOf(session).disposed).toBe(true);
  });

  it('destroys a sandbox whose preparation fails after its reset', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    bench.prepare = () => Promise.reject(new Error('no server'));
    const lease = await bench.take('a');
    lease.release('reset');
    await settled();
    expect(bench.sandboxOf(lease).disposed).toBe(true);
  });

  it('of a session destroys its sandbox, which does not count toward the size', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const sessions = [await bench.take('a', 'session'), await bench.take('a', 'session')];
    await settled();
    expect(bench.states).toEqual(['idle', 'leased', 'leased']);
    for (const session of sessions) session.release('reset');
    await settled();
    expect(bench.states).toEqual(['idle']);
    expect(sessions.map((session) => bench.sandboxOf(session).resets)).toEqual([0, 0]);
  });

  it('of a session is granted while runs hold every slot', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    await bench.take('a');
    expect((await bench.lease('a', 'session')).kind).toBe('granted');
  });
});

describe('a run that releases its slot', () => {
  it('lets a waiting run boot a sandbox', async () => {
    const bench = await PoolBench.warm({ size: 2 });
    const endless = [await bench.take('a'), await bench.take('a')];
    const third = bench.lease('b');
    await settled();
    expect(bench.living).toHaveLength(2);
    for (const lease of endless) lease.releaseSlot();
    expect((await third).kind).toBe('granted');
  });

  it('releases it once, and only as many runs as the size do so at a time', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const first = await bench.take('a');
    first.releaseSlot();
    first.releaseSlot();
    const second = await bench.take('a');
    second.releaseSlot();
    const third = bench.lease('a');
    await settled();
    expect(bench.states).toEqual(['leased', 'leased']);
    first.release('destroy');
    await settled();
    second.releaseSlot();
    expect((await third).kind).toBe('granted');
  });

  it('loses its sandbox at the end when the pool has no room', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const late = await bench.take('a');
    late.releaseSlot();
    await bench.take('b');
    late.release('reset');
    expect(bench.sandboxOf(late)).toMatchObject({ disposed: true, resets: 0 });
  });

  it('returns its sandbox when the pool still has room', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const late = await bench.take('a');
    bench.failure = new Error('no more');
    late.releaseSlot();
    await settled();
    late.release('reset');
    await settled();
    expect(bench.sandboxOf(late)).toMatchObject({ disposed: false, resets: 1 });
    expect(bench.states).toEqual(['idle']);
  });
});

describe('a reset', () => {
  const failures: Record<string, () => Promise<ResetReport>> = {
    'leaves something': async () => ({ ...CLEAN, clean: false, leftovers: ['a process'] }),
    'contradicts itself': async () => ({ ...CLEAN, leftovers: ['a file'] }),
    rejects: () => Promise.reject(new Error('the agent is gone')),
    'never answers': () => new Promise(() => {}),
  };
  for (const [name, onReset] of Object.entries(failures)) {
    it(`that ${name} destroys the sandbox`, async () => {
      const bench = await PoolBench.warm({ size: 1 });
      const lease = await bench.take('a');
      bench.sandboxOf(lease).onReset = onReset;
      lease.release('reset');
      await settled();
      bench.clock.advance(OPTIONS.resetDeadlineMs);
      const next = await bench.take('a');
      expect(bench.sandboxOf(lease).disposed).toBe(true);
      expect(next.sandbox).not.toBe(lease.sandbox);
    });
  }

  it('that ends after its deadline does not save the sandbox', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const lease = await bench.take('a');
    const late = deferred<ResetReport>();
    bench.sandboxOf(lease).onReset = () => late.promise;
    lease.release('reset');
    bench.clock.advance(OPTIONS.resetDeadlineMs);
    await settled();
    late.resolve(CLEAN);
    await settled();
    expect(bench.living.map(({ id }) => id)).not.toContain(lease.sandbox.id);
  });
});

describe('waiting requests', () => {
  it('are served in the order of arrival', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const first = await bench.take('a');
    const order: number[] = [];
    const rest = [1, 2, 3, 4].map(async (number) => {
      const lease = await bench.take('a');
      order.push(number);
      lease.release('reset');
    });
    first.release('reset');
    await Promise.all(rest);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('do not block the next one when they are aborted', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const first = await bench.take('a');
    const abort = new AbortController();
    const second = bench.lease('a', 'run', abort.signal);
    const third = bench.lease('a');
    abort.abort();
    expect(await second).toEqual({ kind: 'aborted' });
    first.release('reset');
    expect((await third).kind).toBe('granted');
    expect(bench.pool.snapshot().waiting).toBe(0);
  });

  it('are not queued when their signal is already aborted', async () => {
    const bench = new PoolBench();
    expect(await bench.lease('a', 'run', AbortSignal.abort())).toEqual({ kind: 'aborted' });
    expect(bench.boots).toBe(0);
  });

  it('are refused beyond the limit, the newest first', async () => {
    const bench = await PoolBench.warm({ size: 1, maxWaiting: 2 });
    const first = await bench.take('a');
    const waiting = [bench.lease('a'), bench.lease('a')];
    expect(await bench.lease('a')).toEqual({ kind: 'overloaded' });
    first.release('reset');
    const grant = (await waiting[0]) as Extract<Grant, { kind: 'granted' }>;
    grant.lease.release('reset');
    expect((await waiting[1])?.kind).toBe('granted');
  });
});

describe('owners', () => {
  it('never share a sandbox', async () => {
    const bench = new PoolBench({ size: 3, maxUses: 7 });
    const runs = Array.from({ length: 300 }, async (_, number) => {
      const lease = await bench.take(`owner ${(number * 7) % 10}`);
      if (number % 11 === 0) bench.sandboxOf(lease).lose();
      await settled();
      lease.release(number % 13 === 0 ? 'destroy' : 'reset');
    });
    await Promise.all(runs);
    expect(bench.made.every(({ owners }) => owners.size <= 1)).toBe(true);
    await settled();
    expect(bench.living.length).toBeLessThanOrEqual(3);
  });

  it('get room when the oldest idle sandbox of another owner is destroyed', async () => {
    const bench = new PoolBench({ size: 2 });
    const old = await bench.take('a');
    bench.clock.advance(1000);
    const young = await bench.take('b');
    old.release('reset');
    young.release('reset');
    await settled();
    await bench.take('c');
    expect([bench.sandboxOf(old).disposed, bench.sandboxOf(young).disposed]).toEqual([true, false]);
  });

  it('cannot starve another owner with constant requests', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    let served = false;
    const greedy = async () => {
      for (let turn = 0; turn < 200 && !served; turn += 1) (await bench.take('greedy')).release('reset');
    };
    const crowd = Promise.all([greedy(), greedy(), greedy()]);
    await settled();
    const lease = await bench.take('modest');
    served = true;
    lease.release('reset');
    await crowd;
    expect(bench.sandboxOf(lease).owners).toEqual(new Set(['modest']));
  });

  it('wait for their own sandbox instead of evicting that of another owner', async () => {
    const bench = new PoolBench({ size: 2 });
    const [mine, theirs] = [await bench.take('a'), await bench.take('b')];
    theirs.release('reset');
    await settled();
    mine.release('reset');
    const again = await bench.take('a');
    expect(again.sandbox).toBe(mine.sandbox);
    expect(bench.sandboxOf(theirs).disposed).toBe(false);
  });
});

describe('a sandbox that cannot be created', () => {
  it('fails the requests that depend on it', async () => {
    const bench = new PoolBench({ size: 1 });
    bench.failure = new Error('no image');
    const grants = await Promise.all([bench.lease('a'), bench.lease('b')]);
    expect(grants).toEqual([
      { kind: 'failed', cause: bench.failure },
      { kind: 'failed', cause: bench.failure },
    ]);
    expect(bench.boots).toBe(1);
  });

  it('is retried for each new request, and otherwise with growing delays', async () => {
    const bench = new PoolBench();
    bench.failure = new Error('no engine');
    await bench.lease('a');
    await bench.lease('a');
    expect(bench.boots).toBe(2);
    for (let second = 0; second < 200; second += 1) {
      bench.clock.advance(1000);
      await settled();
    }
    expect(bench.boots).toBeGreaterThan(5);
    expect(bench.boots).toBeLessThan(20);
    bench.failure = null;
    expect((await bench.lease('a')).kind).toBe('granted');
  });

  it('is logged once per reason, retried one at a time, and logged when it succeeds again', async () => {
    const bench = new PoolBench({ prewarm: true, size: 4 });
    bench.failure = new Error('no image');
    await settled();
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        bench.clock.advance(1_000);
        await settled();
      }
    };
    const first = bench.boots;
    bench.mostBooting = 0;
    await pass(600);
    expect(bench.boots).toBeGreaterThan(first + 15);
    expect(bench.mostBooting).toBe(1);
    expect(bench.logged).toEqual([expect.stringContaining('no image')]);
    bench.failure = new Error('disk full');
    await pass(60);
    expect(bench.logged.slice(1)).toEqual([expect.stringContaining('disk full')]);
    bench.failure = null;
    await pass(60);
    expect(bench.states).toEqual(['idle', 'idle', 'idle', 'idle']);
    expect(bench.logged.slice(2)).toEqual(['Sandboxes can be created again.']);
  });

  it('does not fail requests that another sandbox will serve', async () => {
    const bench = await PoolBench.warm({ size: 2 });
    const lease = await bench.take('a');
    const [other] = bench.living.filter((sandbox) => sandbox !== lease.sandbox);
    bench.failure = new Error('disk full');
    other?.lose();
    await settled();
    const waiting = bench.lease('a');
    await settled();
    lease.release('reset');
    expect((await waiting).kind).toBe('granted');
  });
});

describe('a request that waits after a failed boot', () => {
  it('is retried at the end of the backoff without any other event', async () => {
    const bench = new PoolBench({ size: 2 });
    const mine = await bench.take('a');
    await settled();
    const theirs = await bench.take('b');
    bench.failure = new Error('disk full');
    bench.sandboxOf(theirs).lose();
    await settled();
    await settled();
    theirs.release('reset');
    const first = bench.lease('c');
    expect((await first).kind).toBe('failed');
    const patient = bench.lease('a');
    await settled();
    await settled();
    bench.failure = null;
    bench.clock.advance(30_000);
    await settled();
    const grant = await patient;
    expect(grant.kind === 'granted' && grant.lease.sandbox).not.toBe(mine.sandbox);
  });
});

describe('a lost sandbox', () => {
  it('is replaced when it was idle', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    bench.living[0]?.lose();
    await settled();
    await settled();
    expect(bench.states).toEqual(['idle']);
    expect((await bench.take('a')).sandbox.id).toBe(bench.living[0]?.id);
  });

  it('is replaced while its lease is out, and the lease can still be released', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const lease = await bench.take('a');
    bench.sandboxOf(lease).lose();
    await settled();
    await settled();
    expect(bench.states).toEqual(['idle']);
    lease.release('reset');
    expect(bench.sandboxOf(lease).resets).toBe(0);
  });

  it('is replaced during its reset, even if the reset succeeds later', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const lease = await bench.take('a');
    const reset = deferred<ResetReport>();
    bench.sandboxOf(lease).onReset = () => reset.promise;
    bench.sandboxOf(lease).onDispose = () => new Promise(() => {});
    lease.release('reset');
    bench.bootMs = null;
    const next = bench.take('a');
    bench.sandboxOf(lease).lose();
    await settled();
    reset.resolve(CLEAN);
    await settled();
    await bench.finishBoot();
    expect((await next).sandbox).not.toBe(lease.sandbox);
    expect(bench.states).toEqual(['leased', 'retiring']);
  });
});

describe('time', () => {
  it('replaces aged sandboxes one at a time while the pool is in use', async () => {
    const bench = await PoolBench.warm({ size: 2 });
    const old = bench.living;
    const leases = [await bench.take('a'), await bench.take('a')];
    for (const lease of leases) lease.release('reset');
    await settled();
    bench.clock.advance(200_000);
    (await bench.take('a')).release('reset');
    await settled();
    bench.bootMs = null;
    bench.clock.advance(100_000);
    await settled();
    expect(bench.states).toEqual(['booting', 'idle']);
    await bench.finishBoot();
    await bench.finishBoot();
    expect(bench.states).toEqual(['idle', 'idle']);
    expect(old.every(({ disposed }) => disposed)).toBe(true);
  });

  const idleMinutes = async (bench: PoolBench) => {
    for (let minute = 0; minute < 20; minute += 1) {
      bench.clock.advance(60_000);
      await settled();
    }
  };

  it('leaves one sandbox warm in an unused pool and creates no other', async () => {
    const bench = await PoolBench.warm({ size: 2 });
    const { boots } = bench;
    await idleMinutes(bench);
    expect(bench.states).toEqual(['idle']);
    expect(bench.boots).toBe(boots);
    expect(bench.clock.pending).toBe(0);
    // The next request finds it warm, and the pool fills up.
    bench.bootMs = null;
    expect((await bench.take('b')).sandbox).toBe(bench.made.find(({ disposed }) => !disposed));
    expect(bench.boots).toBe(boots + 1);
  });

  it('leaves a fresh sandbox, which any owner can use, in an unused pool', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    const lease = await bench.take('a');
    lease.release('reset');
    await settled();
    await idleMinutes(bench);
    expect(bench.sandboxOf(lease).disposed).toBe(true);
    expect((await bench.take('b')).sandbox).toBe(bench.living[0]);
  });

  it('empties an unused pool with minIdle 0', async () => {
    const bench = await PoolBench.warm({ size: 2, minIdle: 0 });
    const { boots } = bench;
    (await bench.take('a')).release('reset');
    await settled();
    await idleMinutes(bench);
    expect(bench.states).toEqual([]);
    expect(bench.boots).toBe(boots);
    expect(bench.clock.pending).toBe(0);
  });
});

describe('new options', () => {
  it('grow and shrink the pool', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    bench.pool.configure({ ...OPTIONS, size: 4 });
    await settled();
    expect(bench.living).toHaveLength(4);
    bench.pool.configure({ ...OPTIONS, size: 2 });
    await settled();
    expect(bench.states).toEqual(['idle', 'idle']);
  });

  it('with a new boot replace sandboxes that are warm, that boot and that return', async () => {
    const bench = await PoolBench.warm({ size: 3 });
    const lease = await bench.take('a');
    bench.bootMs = null;
    const session = await bench.take('a', 'session');
    expect(bench.states).toEqual(['booting', 'idle', 'leased', 'leased']);
    const before = [...bench.made];
    bench.pool.configure({ ...OPTIONS, size: 3 }, bench.boot);
    await settled();
    expect(bench.states).toEqual(['booting', 'booting', 'leased', 'leased']);
    lease.release('reset');
    for (let boot = 0; boot < 4; boot += 1) await bench.finishBoot();
    expect(before.filter(({ disposed }) => !disposed)).toEqual([session.sandbox]);
    expect(bench.sandboxOf(lease).resets).toBe(0);
    expect(bench.states).toEqual(['idle', 'idle', 'idle', 'leased']);
  });
});

describe('a sandbox whose removal takes too long', () => {
  const stuck = async (size: number) => {
    const bench = await PoolBench.warm({ size });
    const lease = await bench.take('a');
    const removals: (() => void)[] = [];
    const sandbox = bench.sandboxOf(lease);
    sandbox.onDispose = () => new Promise((resolve) => removals.push(resolve));
    lease.release('destroy');
    await settled();
    return { bench, sandbox, removals };
  };

  it('counts toward the size until it is gone', async () => {
    const { bench, removals } = await stuck(2);
    expect(bench.states).toEqual(['idle', 'idle', 'retiring']);
    bench.clock.advance(5_000);
    await settled();
    expect(bench.states.filter((state) => state === 'idle')).toHaveLength(1);
    removals[0]?.();
    await settled();
    await settled();
    expect(bench.states).toEqual(['idle', 'idle']);
  });

  it.each(['run', 'session'] as const)('is waited for by a %s when such sandboxes fill the pool', async (purpose) => {
    const { bench, removals } = await stuck(1);
    bench.clock.advance(5_000);
    await settled();
    const leased = bench.pool.lease({ owner: owner('b'), purpose });
    await settled();
    expect(bench.states).toEqual(['retiring']);
    removals[0]?.();
    expect((await leased).kind).toBe('granted');
  });

  it('fails waiting requests when such sandboxes fill the pool for half a minute', async () => {
    const { bench, removals } = await stuck(1);
    bench.clock.advance(5_000);
    await settled();
    const early = bench.pool.lease({ owner: owner('b'), purpose: 'run' });
    bench.clock.advance(25_000);
    expect(await early).toEqual({ kind: 'stuck' });
    expect(await bench.pool.lease({ owner: owner('b'), purpose: 'run' })).toEqual({ kind: 'stuck' });
    expect(await bench.pool.lease({ owner: owner('b'), purpose: 'session' })).toEqual({ kind: 'stuck' });
    removals[0]?.();
    await settled();
    expect((await bench.pool.lease({ owner: owner('b'), purpose: 'run' })).kind).toBe('granted');
  });

  it('is removed with retries while the host fails', async () => {
    const { bench, sandbox } = await stuck(2);
    let tries = 0;
    const other = await bench.take('a');
    bench.sandboxOf(other).onDispose = () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new Error('did not receive an exit event')) : Promise.resolve();
    };
    other.release('destroy');
    for (let round = 0; round < 3; round += 1) {
      await settled();
      bench.clock.advance(5_000);
    }
    await settled();
    expect(tries).toBe(3);
    expect(sandbox.disposed).toBe(true);
  });
});

describe('the end of a pool', () => {
  it('waits until every sandbox is gone, also booting and leased ones', async () => {
    const bench = await PoolBench.warm({ size: 3 });
    const lease = await bench.take('a');
    const gone = deferred<void>();
    bench.sandboxOf(lease).onDispose = () => gone.promise;
    await bench.take('b', 'session');
    bench.bootMs = null;
    await bench.take('c');
    expect(bench.states).toContain('booting');
    const waiting = bench.lease('d');
    let ended = false;
    const end = bench.pool.dispose().then(() => {
      ended = true;
    });
    expect(await waiting).toEqual({ kind: 'closed' });
    await settled();
    expect(ended).toBe(false);
    gone.resolve();
    await end;
    expect(bench.living).toEqual([]);
    expect(bench.pool.snapshot()).toEqual({ slots: [], waiting: 0 });
    expect(await bench.lease('a')).toEqual({ kind: 'closed' });
    lease.release('reset');
  });

  it('completes after five seconds although a boot that was aborted does not end', async () => {
    const bench = new PoolBench({ size: 1 });
    bench.bootMs = null;
    bench.isDeaf = true;
    void bench.lease('a');
    await settled();
    expect(bench.states).toEqual(['booting']);
    let ended = false;
    const end = bench.pool.dispose().then(() => {
      ended = true;
    });
    await settled();
    expect(ended).toBe(false);
    bench.clock.advance(5_000);
    await end;
  });

  it('destroys only the sandbox that is stopped by its id', async () => {
    const bench = await PoolBench.warm({ size: 2 });
    const lease = await bench.take('a');
    bench.pool.stop(lease.sandbox.id);
    await lease.sandbox.lost;
    expect(bench.sandboxOf(lease).disposed).toBe(true);
    lease.release('reset');
    await settled();
    await settled();
    expect(bench.states).toEqual(['idle', 'idle']);
  });

  it('completes even if the removal of a sandbox fails', async () => {
    const bench = await PoolBench.warm({ size: 1 });
    for (const sandbox of bench.made) sandbox.onDispose = () => Promise.reject(new Error('engine hung'));
    await bench.pool.dispose();
    expect(bench.states).toEqual([]);
  });
});
