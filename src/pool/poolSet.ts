import { deferred } from '../base/deferred.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Grant } from './lease.ts';
import type { PoolOptions } from './options.ts';
import type { Boot, LeaseRequest, Pool } from './pool.ts';
import type { SlotView } from './snapshot.ts';

/** What the pools of an environment are made of. */
export interface PoolsDeps {
  readonly make: (key: string) => Pool;
  readonly options: PoolOptions;
  /** Pools kept warm at the same time. */
  readonly max: number;
}

/** A request for a pool that there is no place for yet. */
interface Pending {
  readonly key: string;
  readonly request: LeaseRequest;
  readonly signal: AbortSignal | undefined;
  readonly answer: (grant: Grant | Promise<Grant>) => void;
}

/**
 * The pools of one environment by key. When another one needs a place, the least recently used that nobody waits at
 * makes way: it gets no new leases, those it has come to their end, and then it is gone.
 */
export class Pools {
  readonly #make: (key: string) => Pool;
  /** The least recently used first. */
  readonly #warm = new Map<string, Pool>();
  /** Beside a pool that makes way there may be a newer one of the same key. */
  readonly #draining = new Set<readonly [string, Pool]>();
  readonly #pending = new Set<Pending>();
  readonly #changed = new Emitter<void>();
  #options: PoolOptions;
  #max: number;
  #closed = false;

  /** Fires after `slots` or `waiting` has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ make, options, max }: PoolsDeps) {
    this.#make = make;
    this.#options = options;
    this.#max = max;
  }

  /** Those who wait for a sandbox, or for a place for their pool. */
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
    // Whoever came before for a pool that has no place yet goes first.
    const pool = this.#warm.has(key) || this.#pending.size === 0 ? this.#open(key) : null;
    return pool ? pool.lease(request, signal) : this.#wait(key, request, signal);
  }

  /** Makes pools of these keys, as far as there is place, and sandboxes in them. */
  warm(keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.#warm.has(key) && this.#warm.size < this.#max) this.#add(key).touch();
    }
  }

  has(key: string): boolean {
    return this.#warm.has(key);
  }

  /** Makes the pool of a key and sandboxes in it, in the place of the least recently used one when there is no other. */
  admit(key: string): void {
    this.#open(key)?.touch();
  }

  /** Takes new options. With `bootOf` what is warm is replaced. */
  configure(options: PoolOptions, max: number, bootOf?: (key: string) => Boot): void {
    this.#options = options;
    this.#max = max;
    for (const [key, pool] of this.#warm) pool.configure(options, bootOf?.(key));
    while (this.#warm.size > max && this.#makeWay());
    this.#pulse();
  }

  /** Destroys one sandbox, by its slot's id. */
  stop(id: string): void {
    for (const [, pool] of this.#all()) pool.stop(id);
  }

  /** Sends all who wait away; `cause` as a boot rejects with. */
  refuse(cause: unknown): void {
    this.#answerPending({ kind: 'failed', cause });
    for (const [, pool] of this.#all()) pool.refuse(cause);
  }

  /** Refuses all who wait and destroys every sandbox; resolves when all are gone. */
  async dispose(): Promise<void> {
    this.#closed = true;
    this.#answerPending({ kind: 'closed' });
    await Promise.all(this.#all().map(([, pool]) => pool.dispose()));
  }

  #all(): [string, Pool][] {
    return [...this.#warm, ...this.#draining].map(([key, pool]) => [key, pool]);
  }

  /** The pool of a key, from now on the most recently used; null while there is no place for it. */
  #open(key: string): Pool | null {
    const pool = this.#warm.get(key) ?? (this.#warm.size < this.#max || this.#makeWay() ? this.#add(key) : null);
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

  #makeWay(): boolean {
    const free = [...this.#warm].filter(([, pool]) => pool.snapshot().waiting === 0);
    const unused = free.find(([, pool]) => pool.snapshot().slots.every(({ state }) => state !== 'leased'));
    const leaving = unused ?? free[0];
    if (!leaving) return false;
    const [key, pool] = leaving;
    this.#warm.delete(key);
    this.#draining.add(leaving);
    pool.configure({ ...this.#options, size: 0, prewarm: false });
    return true;
  }

  #wait(key: string, request: LeaseRequest, signal: AbortSignal | undefined): Promise<Grant> {
    if (this.#pending.size >= this.#options.maxWaiting) return Promise.resolve({ kind: 'overloaded' });
    const { promise, resolve } = deferred<Grant | Promise<Grant>>();
    const pending: Pending = { key, request, signal, answer: resolve };
    this.#pending.add(pending);
    const abort = () => {
      if (this.#pending.delete(pending)) resolve({ kind: 'aborted' });
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#changed.fire();
    return promise.then((grant) => grant).finally(() => signal?.removeEventListener('abort', abort));
  }

  #pulse(): void {
    for (const pending of [...this.#pending]) this.#tryAgain(pending);
    for (const leaving of this.#draining) this.#forget(leaving);
    this.#changed.fire();
  }

  #forget(leaving: readonly [string, Pool]): void {
    const [, pool] = leaving;
    if (this.#closed || pool.snapshot().slots.length > 0) return;
    this.#draining.delete(leaving);
    void pool.dispose();
  }

  #tryAgain(pending: Pending): void {
    if (!this.#pending.has(pending)) return;
    const pool = this.#open(pending.key);
    if (!pool) return;
    this.#pending.delete(pending);
    pending.answer(pool.lease(pending.request, pending.signal));
  }

  #answerPending(grant: Grant): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const { answer } of pending) answer(grant);
  }
}
