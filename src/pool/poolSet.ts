import { Emitter, type Event } from '../base/event.ts';
import { WaitingList } from '../base/waitingList.ts';
import type { Owner } from '../sandbox/owner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Grant, Lease, LeaseRequest } from './lease.ts';
import type { Pool } from './pool.ts';
import type { SlotView } from './slot.ts';
import type { Boot } from './slots.ts';
import type { PoolOptions } from './state.ts';

/** What a pool set works with. */
export interface PoolSetDependencies {
  readonly make: (key: string) => Pool;
  readonly options: PoolOptions;
  /** Pools kept warm at the same time. */
  readonly max: number;
}

/** A request that waits until there is room for its pool. */
interface Pending {
  readonly key: string;
  readonly request: LeaseRequest;
  readonly signal: AbortSignal | undefined;
}

/**
 * The pools of one environment by key. When a new one needs room, the set evicts the least recently used pool without
 * waiting requests: it grants no new leases, and is disposed of when its last lease has ended.
 */
export class PoolSet {
  readonly #make: (key: string) => Pool;
  /** The least recently used first. */
  readonly #warm = new Map<string, Pool>();
  /** Evicted pools with leases; there may be a newer pool of the same key. */
  readonly #draining = new Set<readonly [string, Pool]>();
  readonly #changed = new Emitter<void>();
  readonly #pending = new WaitingList<Pending, Grant>({ kind: 'aborted' }, () => this.#changed.fire());
  #options: PoolOptions;
  #max: number;
  #closed = false;

  /** Fires after `slots` or `waiting` has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ make, options, max }: PoolSetDependencies) {
    this.#make = make;
    this.#options = options;
    this.#max = max;
  }

  /** Requests that wait for a sandbox, or for room for their pool. */
  get waiting(): number {
    return this.#all().reduce((sum, [, pool]) => sum + pool.snapshot().waiting, this.#pending.size);
  }

  /** Every slot with its pool's key. */
  slots(): (SlotView & { readonly key: string })[] {
    return this.#all().flatMap(([key, pool]) => pool.snapshot().slots.map((slot) => ({ ...slot, key })));
  }

  /** A lease from the pool of that key. Never rejects. */
  lease(key: string, request: LeaseRequest, signal?: AbortSignal): Promise<Grant> {
    if (this.#closed) return Promise.resolve({ kind: 'closed' });
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    // Earlier requests for new pools go first.
    const pool = this.#warm.has(key) || this.#pending.size === 0 ? this.#open(key) : null;
    if (pool) return pool.lease(request, signal);
    if (this.#pending.size >= this.#options.maxWaiting) return Promise.resolve({ kind: 'overloaded' });
    const granted = this.#pending.add({ key, request, signal }, signal);
    this.#changed.fire();
    return granted;
  }

  /** The lease of a session's sandbox that another engine had; null while there is no room for its pool. */
  adopt(key: string, sandbox: Sandbox, owner: Owner): Lease | null {
    return this.#closed ? null : (this.#open(key)?.adopt(sandbox, owner) ?? null);
  }

  /** Creates and fills pools of these keys while there is room. */
  warm(keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.#warm.has(key) && this.#warm.size < this.#max) this.#add(key).touch();
    }
  }

  has(key: string): boolean {
    return this.#warm.has(key);
  }

  /** Creates and fills the pool of a key; evicts the least recently used pool when there is no room. */
  admit(key: string): void {
    this.#open(key)?.touch();
  }

  /** Sets new options. `bootOf` starts a new generation of sandboxes. */
  configure(options: PoolOptions, max: number, bootOf?: (key: string) => Boot): void {
    this.#options = options;
    this.#max = max;
    for (const [key, pool] of this.#warm) pool.configure(options, bootOf?.(key));
    while (this.#warm.size > max && this.#evictLeastRecentlyUsed());
    this.#pulse();
  }

  /** Destroys one sandbox, by its slot's id. */
  stop(id: string): void {
    for (const [, pool] of this.#all()) pool.stop(id);
  }

  /** Fails every waiting request; `cause` as a boot rejects with. */
  rejectWaiting(cause: unknown): void {
    this.#pending.answerAll({ kind: 'failed', cause });
    for (const [, pool] of this.#all()) pool.rejectWaiting(cause);
  }

  /** Rejects waiting requests and destroys every sandbox; resolves when all are gone. */
  async dispose(): Promise<void> {
    this.#closed = true;
    this.#pending.answerAll({ kind: 'closed' });
    await Promise.all(this.#all().map(([, pool]) => pool.dispose()));
  }

  #all(): [string, Pool][] {
    return [...this.#warm, ...this.#draining].map(([key, pool]) => [key, pool]);
  }

  /** The pool of a key, as the most recently used; null while there is no room for it. */
  #open(key: string): Pool | null {
    const hasRoom = () => this.#warm.size < this.#max || this.#evictLeastRecentlyUsed();
    const pool = this.#warm.get(key) ?? (hasRoom() ? this.#add(key) : null);
    if (!pool) return null;
    this.#warm.delete(key);
    this.#warm.set(key, pool);
    return pool;
  }

  #add(key: string): Pool {
    const pool = this.#make(key);
    this.#warm.set(key, pool);
    pool.onDidChange(() => this.#pulse());
    return pool;
  }

  /** Whether a pool could be evicted: one without leases before one with leases. */
  #evictLeastRecentlyUsed(): boolean {
    const free = [...this.#warm].filter(([, pool]) => pool.snapshot().waiting === 0);
    const unused = free.find(([, pool]) => pool.snapshot().slots.every(({ state }) => state !== 'leased'));
    const evicted = unused ?? free[0];
    if (!evicted) return false;
    const [key, pool] = evicted;
    this.#warm.delete(key);
    this.#draining.add(evicted);
    pool.configure({ ...this.#options, size: 0, prewarm: false });
    return true;
  }

  #pulse(): void {
    for (const pending of this.#pending.all()) this.#retryPending(pending);
    for (const evicted of this.#draining) this.#disposeDrained(evicted);
    this.#changed.fire();
  }

  #disposeDrained(evicted: readonly [string, Pool]): void {
    const [, pool] = evicted;
    if (this.#closed || pool.snapshot().slots.length > 0) return;
    this.#draining.delete(evicted);
    void pool.dispose();
  }

  #retryPending(pending: Pending): void {
    const pool = this.#pending.has(pending) ? this.#open(pending.key) : null;
    // Off the list first: the lease leads to another retry.
    if (pool) this.#pending.take(pending)?.(pool.lease(pending.request, pending.signal));
  }
}
