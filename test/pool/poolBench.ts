import { deferred } from '../../src/base/deferred.ts';
import type { Grant, Lease, Purpose } from '../../src/pool/lease.ts';
import { Pool } from '../../src/pool/pool.ts';
import type { Prepare } from '../../src/pool/recycle.ts';
import type { PoolOptions } from '../../src/pool/state.ts';
import type { Owner } from '../../src/sandbox/owner.ts';
import { ManualClock } from '../host/manualClock.ts';
import { FakeSandbox } from './fakeSandbox.ts';

export const OPTIONS: PoolOptions = {
  size: 2,
  maxAgeSeconds: 300,
  minIdle: 1,
  maxConcurrentCreations: 5,
  reuse: 'reset',
  prewarm: false,
  maxWaiting: 1000,
  maxUses: 1000,
  resetDeadlineMs: 250,
};

/** Lets everything that is ready happen. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export function owner(id: string): Owner {
  return { id, kind: 'cli', label: id };
}

/** A pool over fake sandboxes, with a manual clock. */
export class PoolBench {
  readonly clock = new ManualClock();
  readonly made: FakeSandbox[] = [];
  readonly pool: Pool;
  /** Requested boots, including failed ones. */
  boots = 0;
  /** Boots in progress now, and the maximum so far. */
  booting = 0;
  mostBooting = 0;
  /** Boots reject with it when it is set. */
  failure: Error | null = null;
  /** Milliseconds that a boot takes; null: until `finishBoot`. */
  bootMs: number | null = 0;
  /** Whether boots ignore that they are aborted. */
  isDeaf = false;
  /** The preparation of a sandbox after its first reset. */
  prepare: Prepare = () => null;
  /** What was logged, without debug lines. */
  readonly logged: string[] = [];
  readonly #held: (() => void)[] = [];

  constructor(options: Partial<PoolOptions> = {}) {
    const prepare: Prepare = (sandbox) => this.prepare(sandbox);
    const keep = (message: string) => void this.logged.push(message);
    const log = { debug: () => {}, info: keep, warn: keep, error: keep };
    const deps = { boot: this.boot, prepare, clock: this.clock, log };
    this.pool = new Pool({ ...deps, options: { ...OPTIONS, ...options } });
  }

  readonly boot = async (signal: AbortSignal): Promise<FakeSandbox> => {
    this.boots += 1;
    this.booting += 1;
    this.mostBooting = Math.max(this.mostBooting, this.booting);
    const { promise, resolve } = deferred<void>();
    signal.addEventListener('abort', () => {
      if (!this.isDeaf) resolve();
    });
    if (this.bootMs === null) this.#held.push(resolve);
    else if (this.bootMs > 0) this.clock.schedule(this.bootMs, resolve);
    else setImmediate(resolve);
    await promise;
    this.booting -= 1;
    if (signal.aborted) throw new Error('cancelled');
    if (this.failure) throw this.failure;
    const sandbox = new FakeSandbox(`sandbox-${this.made.length + 1}`);
    this.made.push(sandbox);
    return sandbox;
  };

  /** Ends the oldest boot that is held. */
  async finishBoot(): Promise<void> {
    this.#held.shift()?.();
    await settled();
  }

  lease(id: string, purpose: Purpose = 'run', signal?: AbortSignal): Promise<Grant> {
    return this.pool.lease({ owner: owner(id), purpose }, signal);
  }

  /** A lease that must be granted. */
  async take(id: string, purpose: Purpose = 'run'): Promise<Lease> {
    const grant = await this.lease(id, purpose);
    if (grant.kind !== 'granted') throw new Error(`the lease was not granted: ${grant.kind}`);
    this.sandboxOf(grant.lease).owners.add(id);
    return grant.lease;
  }

  sandboxOf({ sandbox }: Lease): FakeSandbox {
    const found = this.made.find(({ id }) => id === sandbox.id);
    if (!found) throw new Error(`no sandbox ${sandbox.id} was made`);
    return found;
  }

  /** The slots' states, sorted. */
  get states(): string[] {
    return this.pool
      .snapshot()
      .slots.map(({ state }) => state)
      .sort();
  }

  get living(): FakeSandbox[] {
    return this.made.filter(({ disposed }) => !disposed);
  }

  /** A pool whose sandboxes have booted. */
  static async warm(options: Partial<PoolOptions> = {}): Promise<PoolBench> {
    const bench = new PoolBench(options);
    const lease = await bench.take('warmer');
    lease.release('destroy');
    await settled();
    await settled();
    return bench;
  }
}
