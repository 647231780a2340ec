import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { Emitter, type Event } from '../base/event.ts';
import { type Log, messageOf } from '../base/log.ts';
import { WaitingList } from '../base/waitingList.ts';
import type { Owner } from '../sandbox/owner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { Alarm } from './alarm.ts';
import { type Grant, Lease, type LeaseRequest, type Release } from './lease.ts';
import { type Action, plan } from './plan.ts';
import type { Prepare } from './recycle.ts';
import { countsTowardSize, type IdleSlot, type PooledSandbox, viewOf } from './slot.ts';
import { type Boot, REMOVAL_MS, Slots } from './slots.ts';
import {
  type Backoff,
  backOff,
  type PoolOptions,
  type PoolSnapshot,
  type PoolState,
  strandedWaiters,
  type Waiter,
} from './state.ts';

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
  readonly #slots: Slots;
  readonly #waiting = new WaitingList<Waiter, Grant>({ kind: 'aborted' }, () => this.#pulse());
  readonly #changed = new Emitter<void>();
  readonly #emptied = deferred<void>();
  readonly #alarm: Alarm;
  #boot: Boot;
  #options: PoolOptions;
  #generation = 1;
  #lastWaiter = 0;
  #usedAt: number | null = null;
  #backoff: Backoff | null = null;
  #closed = false;

  /** Fires after `snapshot` has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ boot, prepare, options, clock, log }: PoolDependencies) {
    this.#boot = boot;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#alarm = new Alarm(clock, () => this.#pulse());
    this.#slots = new Slots({
      prepare: prepare ?? (() => null),
      clock,
      log,
      onDidChange: () => this.#pulse(),
      onDidBoot: (failure) => (failure ? this.#onBootFailed(failure.cause) : this.#onBootSucceeded()),
    });
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

  /** The lease of a session's sandbox that another engine had. */
  adopt(sandbox: Sandbox, owner: Owner): Lease {
    const { id } = this.#slots.adopt(sandbox, owner, this.#generation);
    this.#pulse();
    return this.#leaseOf(id, sandbox);
  }

  /** Sets new options. A new `boot` starts a new generation: it replaces warm sandboxes, and leased ones on their return. */
  configure(options: PoolOptions, boot?: Boot): void {
    this.#options = options;
    if (boot) {
      this.#boot = boot;
      this.#generation += 1;
      this.#backoff = null;
      this.#slots.abortBoots();
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
    for (const slot of this.#slots.all()) if (viewOf(slot).id === id) this.#slots.end(slot, 'it was stopped');
    this.#pulse();
  }

  /** Fails every waiting request; `cause` as a boot rejects with. */
  rejectWaiting(cause: unknown): void {
    this.#waiting.answerAll({ kind: 'failed', cause });
    this.#pulse();
  }

  snapshot(): PoolSnapshot {
    return { slots: this.#slots.all().map(viewOf), waiting: this.#waiting.size };
  }

  /**
   * Rejects waiting requests and destroys every sandbox, also leased ones; resolves when all are gone, or when what
   * remains is overdue.
   */
  dispose(): Promise<void> {
    if (!this.#closed) {
      // A boot that was aborted may remove its sandbox for longer.
      const late = this.#clock.schedule(REMOVAL_MS, () => this.#emptied.resolve());
      void this.#emptied.promise.then(() => late.dispose());
      this.#closed = true;
      this.#alarm.dispose();
      this.#waiting.answerAll({ kind: 'closed' });
      this.#slots.endAll('the engine shuts down');
      this.#pulse();
    }
    return this.#emptied.promise;
  }

  #pulse(): void {
    if (this.#closed) {
      // A later engine's sweep removes what is overdue.
      const awaited = this.#slots.all().filter((slot) => slot.kind !== 'retiring' || slot.removal === 'expected');
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
      slots: this.#slots.all(),
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
        this.#slots.boot(this.#boot, this.#generation);
        break;
      case 'retire':
        this.#slots.end(action.slot, action.reason);
        break;
      case 'refuse':
        this.#waiting.answer(action.waiter, { kind: action.because });
        break;
    }
  }

  #grant(slot: IdleSlot, { owner, purpose }: LeaseRequest): Lease {
    this.#slots.lease(slot, owner, purpose);
    return this.#leaseOf(slot.id, slot.pooled.sandbox);
  }

  #leaseOf(id: number, sandbox: Sandbox): Lease {
    return new Lease(sandbox, {
      release: (release) => this.#takeBack(id, release),
      releaseSlot: () => this.#releaseSlot(id),
    });
  }

  #releaseSlot(id: number): void {
    const slot = this.#slots.leased(id);
    if (slot?.purpose !== 'run') return;
    const overflowing = this.#slots.all().filter((one) => one.kind === 'leased' && one.purpose === 'overflow');
    if (overflowing.length >= this.#options.size) return;
    this.#slots.overflow(slot);
    this.#pulse();
  }

  #takeBack(id: number, release: Release): void {
    this.#usedAt = this.#clock.now();
    const slot = this.#slots.leased(id);
    // It may have been lost or stopped meanwhile.
    if (!slot) return;
    const { purpose, pooled } = slot;
    if (purpose === 'session' || release === 'destroy') this.#slots.end(slot, 'its lease has ended');
    else if (!this.#isReusable(pooled)) this.#slots.end(slot, 'it is used up');
    else if (purpose === 'overflow' && !this.#hasRoom()) this.#slots.end(slot, 'another sandbox has taken its place');
    else if (release === 'keep') this.#slots.makeIdle(slot);
    else this.#slots.reset(slot, this.#options.resetDeadlineMs * this.#clock.slowness());
    this.#pulse();
  }

  #isReusable({ uses, createdAtMs, generation }: PooledSandbox): boolean {
    const { reuse, maxUses, maxAgeSeconds } = this.#options;
    const isYoung = this.#clock.now() - createdAtMs < maxAgeSeconds * 1000;
    return reuse === 'reset' && uses < maxUses && isYoung && generation === this.#generation;
  }

  #hasRoom(): boolean {
    const places = this.#slots.all().filter((slot) => countsTowardSize(slot, this.#generation));
    return places.length < this.#options.size;
  }

  #onBootSucceeded(): void {
    if (this.#backoff) this.#log.info('Sandboxes can be created again.');
    this.#backoff = null;
  }

  #onBootFailed(cause: unknown): void {
    const reason = messageOf(cause);
    // Retries fail for the same reason; one line in the log is enough.
    if (reason !== this.#backoff?.reason) this.#log.warn(`A sandbox could not be created: ${reason}`);
    this.#backoff = backOff(this.#backoff, this.#clock.now(), { reason, lastWaiter: this.#lastWaiter });
    for (const waiter of strandedWaiters(this.#state())) this.#waiting.answer(waiter, { kind: 'failed', cause });
  }
}
