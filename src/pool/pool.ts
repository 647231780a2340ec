import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { Emitter, type Event } from '../base/event.ts';
import { type Log, messageOf } from '../base/log.ts';
import { WaitingList } from '../base/waitingList.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { Alarm } from './alarm.ts';
import { type Grant, Lease, type LeaseRequest, type Release } from './lease.ts';
import { type Action, plan } from './plan.ts';
import { type Prepare, recycleFailure } from './recycle.ts';
import {
  type BootingSlot,
  countsTowardSize,
  type IdleSlot,
  type LeasedSlot,
  type PooledSandbox,
  type ResettingSlot,
  type RetiringSlot,
  type Slot,
  viewOf,
} from './slot.ts';
import {
  type Backoff,
  backOff,
  type PoolOptions,
  type PoolSnapshot,
  type PoolState,
  strandedWaiters,
  type Waiter,
} from './state.ts';

/** Creates one sandbox. Rejects when that fails or `signal` aborts; then it has removed what it created. */
export type Boot = (signal: AbortSignal) => Promise<Sandbox>;

/** A removal that takes longer than this is overdue; a failed one is retried as often. Milliseconds. */
const REMOVAL_MS = 5_000;

/** What a pool works with. */
export interface PoolDependencies {
  readonly boot: Boot;
  readonly prepare?: Prepare;
  readonly options: PoolOptions;
  readonly clock: Clock;
  readonly log: Log;
}

/** The warm sandboxes of one environment. Every event leads to `#pulse`, which performs what `plan` returns. */
export class Pool {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #prepare: Prepare;
  readonly #slots = new Map<number, Slot>();
  readonly #waiting = new WaitingList<Waiter, Grant>({ kind: 'aborted' }, () => this.#pulse());
  readonly #changed = new Emitter<void>();
  readonly #emptied = deferred<void>();
  readonly #alarm: Alarm;
  #boot: Boot;
  #options: PoolOptions;
  #generation = 1;
  #slotCount = 0;
  #lastWaiter = 0;
  #usedAt: number | null = null;
  #backoff: Backoff | null = null;
  #closed = false;

  /** Fires after `snapshot` has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ boot, prepare, options, clock, log }: PoolDependencies) {
    this.#boot = boot;
    this.#prepare = prepare ?? (() => null);
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#alarm = new Alarm(clock, () => this.#pulse());
    this.#pulse();
  }

  /** Resolves with a lease as soon as it is this request's turn, at once when a sandbox is idle. Never rejects. */
  lease({ owner, purpose }: LeaseRequest, signal?: AbortSignal): Promise<Grant> {
    if (this.#closed) return Promise.resolve({ kind: 'closed' });
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    this.#lastWaiter += 1;
    const granted = this.#waiting.add({ number: this.#lastWaiter, owner, purpose }, signal);
    this.#usedAt = this.#clock.now();
    this.#pulse();
    return granted;
  }

  /** Sets new options. A new `boot` starts a new generation: it replaces warm sandboxes, and leased ones on their return. */
  configure(options: PoolOptions, boot?: Boot): void {
    this.#options = options;
    if (boot) {
      this.#boot = boot;
      this.#generation += 1;
      this.#backoff = null;
      this.#abortBoots();
    }
    this.#pulse();
  }

  /** Counts as a use: fills the pool, or keeps it filled, without a request. */
  touch(): void {
    this.#usedAt = this.#clock.now();
    this.#pulse();
  }

  /** Destroys one sandbox, by its id in the snapshot; its lease finds it lost. */
  stop(id: string): void {
    for (const slot of this.#slots.values()) if (viewOf(slot).id === id) this.#end(slot, 'it was stopped');
    this.#pulse();
  }

  /** Fails every waiting request; `cause` as a boot rejects with. */
  rejectWaiting(cause: unknown): void {
    this.#waiting.answerAll({ kind: 'failed', cause });
    this.#pulse();
  }

  snapshot(): PoolSnapshot {
    return { slots: [...this.#slots.values()].map(viewOf), waiting: this.#waiting.size };
  }

  /** Rejects waiting requests and destroys every sandbox, also leased ones; resolves when all are gone. */
  dispose(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#alarm.dispose();
      this.#waiting.answerAll({ kind: 'closed' });
      for (const slot of this.#slots.values()) this.#end(slot, 'the engine shuts down');
      this.#pulse();
    }
    return this.#emptied.promise;
  }

  #pulse(): void {
    if (this.#closed) {
      // A later engine's sweep removes what is overdue.
      const awaited = [...this.#slots.values()].filter((slot) => slot.kind !== 'retiring' || !slot.overdue);
      if (awaited.length === 0) this.#emptied.resolve();
    } else this.#settle();
    this.#changed.fire();
  }

  #settle(): void {
    for (;;) {
      const { actions, wakeAt } = plan(this.#state(), this.#clock.now());
      for (const action of actions) this.#perform(action);
      if (actions.length > 0) continue;
      this.#alarm.set(wakeAt);
      return;
    }
  }

  #state(): PoolState {
    return {
      options: this.#options,
      slots: [...this.#slots.values()],
      waiters: this.#waiting.all(),
      generation: this.#generation,
      usedAt: this.#usedAt,
      backoff: this.#backoff,
    };
  }

  #perform(action: Action): void {
    switch (action.kind) {
      case 'grant':
        this.#waiting.answer(action.waiter, { kind: 'granted', lease: this.#grant(action.slot, action.waiter) });
        break;
      case 'boot':
        this.#startBoot();
        break;
      case 'retire':
        this.#end(action.slot, action.reason);
        break;
      case 'refuse':
        this.#waiting.answer(action.waiter, { kind: action.because });
        break;
    }
  }

  #grant({ id, pooled }: IdleSlot, { owner, purpose }: LeaseRequest): Lease {
    const createdAtMs = pooled.uses === 0 ? this.#clock.now() : pooled.createdAtMs;
    this.#slots.set(id, {
      kind: 'leased',
      id,
      purpose,
      pooled: { ...pooled, owner, createdAtMs, uses: pooled.uses + 1 },
    });
    return new Lease(pooled.sandbox, {
      release: (release) => this.#takeBack(id, release),
      releaseSlot: () => this.#releaseSlot(id),
    });
  }

  #releaseSlot(id: number): void {
    const slot = this.#slots.get(id);
    if (slot?.kind !== 'leased' || slot.purpose !== 'run') return;
    const overflowing = [...this.#slots.values()].filter((one) => one.kind === 'leased' && one.purpose === 'overflow');
    if (overflowing.length >= this.#options.size) return;
    this.#slots.set(id, { ...slot, purpose: 'overflow' });
    this.#pulse();
  }

  #takeBack(id: number, release: Release): void {
    this.#usedAt = this.#clock.now();
    const slot = this.#slots.get(id);
    // It may have been lost or stopped meanwhile.
    if (slot?.kind !== 'leased') return;
    if (slot.purpose === 'session' || release === 'destroy') this.#end(slot, 'its lease has ended');
    else if (!this.#isReusable(slot.pooled)) this.#end(slot, 'it is used up');
    else if (slot.purpose === 'overflow' && !this.#hasRoom()) this.#end(slot, 'another sandbox has taken its place');
    else if (release === 'keep') this.#makeIdle(slot);
    else this.#reset(slot);
    this.#pulse();
  }

  #isReusable({ uses, createdAtMs, generation }: PooledSandbox): boolean {
    const { reuse, maxUses, maxAgeSeconds } = this.#options;
    const isYoung = this.#clock.now() - createdAtMs < maxAgeSeconds * 1000;
    return reuse === 'reset' && uses < maxUses && isYoung && generation === this.#generation;
  }

  #hasRoom(): boolean {
    const places = [...this.#slots.values()].filter((slot) => countsTowardSize(slot, this.#generation));
    return places.length < this.#options.size;
  }

  #makeIdle({ id, pooled }: LeasedSlot | ResettingSlot): void {
    this.#slots.set(id, { kind: 'idle', id, pooled, since: this.#clock.now() });
  }

  #reset({ id, pooled }: LeasedSlot): void {
    this.#slots.set(id, { kind: 'resetting', id, pooled });
    const deadlineMs = this.#options.resetDeadlineMs * this.#clock.slowness();
    const recycling = { deadlineMs, prepare: this.#prepare, clock: this.#clock };
    void recycleFailure(pooled.sandbox, recycling).then((failure) => {
      const slot = this.#slots.get(id);
      if (slot?.kind !== 'resetting') return;
      if (failure === null) this.#makeIdle(slot);
      else this.#end(slot, failure);
      this.#pulse();
    });
  }

  #startBoot(): void {
    this.#slotCount += 1;
    const slot: BootingSlot = {
      kind: 'booting',
      id: this.#slotCount,
      generation: this.#generation,
      createdAtEpochMs: Date.now(),
      abort: new AbortController(),
    };
    this.#slots.set(slot.id, slot);
    this.#boot(slot.abort.signal).then(
      (sandbox) => this.#onBooted(slot, sandbox),
      (cause) => this.#onBootFailed(slot, cause),
    );
  }

  #onBooted({ id, generation, createdAtEpochMs, abort }: BootingSlot, sandbox: Sandbox): void {
    const createdAtMs = this.#clock.now();
    const pooled: PooledSandbox = { sandbox, generation, createdAtMs, createdAtEpochMs, owner: null, uses: 0 };
    const slot: IdleSlot = { kind: 'idle', id, pooled, since: createdAtMs };
    this.#slots.set(id, slot);
    if (abort.signal.aborted) this.#end(slot, 'it is no longer wanted');
    else this.#onBootSucceeded();
    void sandbox.lost.then(({ reason }) => this.#onLost(id, reason));
    this.#pulse();
  }

  #onBootSucceeded(): void {
    if (this.#backoff) this.#log.info('Sandboxes can be created again.');
    this.#backoff = null;
  }

  #onBootFailed({ id, abort }: BootingSlot, cause: unknown): void {
    this.#slots.delete(id);
    if (!abort.signal.aborted) {
      const reason = messageOf(cause);
      // Retries fail for the same reason; one line in the log is enough.
      if (reason !== this.#backoff?.reason) this.#log.warn(`A sandbox could not be created: ${reason}`);
      this.#backoff = backOff(this.#backoff, this.#clock.now(), { reason, lastWaiter: this.#lastWaiter });
      for (const waiter of strandedWaiters(this.#state())) this.#waiting.answer(waiter, { kind: 'failed', cause });
    }
    this.#pulse();
  }

  #onLost(id: number, reason: string): void {
    const slot = this.#slots.get(id);
    if (!slot || slot.kind === 'retiring') return;
    this.#end(slot, reason);
    this.#pulse();
  }

  /** Destroys the slot's sandbox, whatever state the slot is in. */
  #end(slot: Slot, reason: string): void {
    if (slot.kind === 'retiring') return;
    if (slot.kind === 'booting') {
      slot.abort.abort();
      return;
    }
    const { id, pooled } = slot;
    const retiring: RetiringSlot = { kind: 'retiring', id, pooled, overdue: false };
    this.#slots.set(id, retiring);
    this.#log.debug(`sandbox ${nameOf(pooled)} is removed: ${reason}`);
    const late = this.#clock.schedule(REMOVAL_MS, () => this.#onOverdue(retiring));
    void this.#remove(retiring).then(() => {
      late.dispose();
      this.#slots.delete(id);
      this.#pulse();
    });
  }

  /** Retries until the sandbox is gone, or until the pool is disposed. */
  async #remove(slot: RetiringSlot): Promise<void> {
    for (;;) {
      try {
        return await slot.pooled.sandbox.dispose();
      } catch (error) {
        this.#log.warn(`sandbox ${nameOf(slot.pooled)} could not be removed: ${messageOf(error)}`);
        if (this.#closed) return;
        this.#onOverdue(slot);
        await new Promise<void>((resolve) => this.#clock.schedule(REMOVAL_MS, resolve));
      }
    }
  }

  #onOverdue(slot: RetiringSlot): void {
    if (this.#slots.get(slot.id) !== slot) return;
    this.#slots.set(slot.id, { ...slot, overdue: true });
    this.#log.warn(`sandbox ${nameOf(slot.pooled)} is not removed yet; it counts toward the pool's size until it is`);
    this.#pulse();
  }

  #abortBoots(): void {
    for (const slot of this.#slots.values()) if (slot.kind === 'booting') slot.abort.abort();
  }
}

function nameOf({ sandbox }: PooledSandbox): string {
  return sandbox.id.slice(0, 12);
}
