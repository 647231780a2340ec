import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { Emitter, type Event } from '../base/event.ts';
import { type Log, messageOf } from '../base/log.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { Alarm } from './alarm.ts';
import { type Grant, Lease, type Release } from './lease.ts';
import type { PoolOptions } from './options.ts';
import type { Owner } from './owner.ts';
import { type Action, plan } from './plan.ts';
import { resetFailure } from './reset.ts';
import {
  type BootingSlot,
  type IdleSlot,
  type LeasedSlot,
  type Member,
  type Purpose,
  type ResettingSlot,
  type RetiringSlot,
  type Slot,
  takesPlace,
} from './slot.ts';
import { type PoolSnapshot, viewOf } from './snapshot.ts';
import { type Backoff, backOff, strandedWaiters } from './state.ts';
import { WaitingList } from './waiting.ts';

/** Makes one sandbox. Rejects when it can't, or when `signal` is aborted; then nothing is left behind. */
export type Boot = (signal: AbortSignal) => Promise<Sandbox>;

/** A removal that takes longer than this is overdue; a failed one is tried again as often. Milliseconds. */
const REMOVAL_MS = 5_000;

/** What a sandbox still has to do after a reset before it serves again; null when that is done. A rejection ends it. */
export type Prepare = (sandbox: Sandbox) => Promise<void> | null;

/** What a pool works with. */
export interface PoolDeps {
  readonly boot: Boot;
  readonly prepare?: Prepare;
  readonly options: PoolOptions;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who wants a sandbox, and what for. */
export interface LeaseRequest {
  readonly owner: Owner;
  readonly purpose: Purpose;
}

/** The warm sandboxes of one environment. Whatever happens to it leads to `#pulse`, which asks `plan` what to do. */
export class Pool {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #prepare: Prepare;
  readonly #slots = new Map<number, Slot>();
  readonly #waiting = new WaitingList();
  readonly #changed = new Emitter<void>();
  readonly #emptied = deferred<void>();
  readonly #alarm: Alarm;
  #boot: Boot;
  #options: PoolOptions;
  #recipe = 1;
  #slotCount = 0;
  #usedAt: number | null = null;
  #backoff: Backoff | null = null;
  #closed = false;

  /** Fires after `snapshot` has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ boot, prepare, options, clock, log }: PoolDeps) {
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
    const waiter = this.#waiting.add(owner, purpose);
    this.#usedAt = this.#clock.now();
    this.#pulse();
    if (!signal || !this.#waiting.has(waiter)) return waiter.granted;
    const abort = () => {
      waiter.settle({ kind: 'aborted' });
      this.#pulse();
    };
    signal.addEventListener('abort', abort, { once: true });
    return waiter.granted.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Takes new options. A new `boot` replaces what is warm, and each leased sandbox when it comes back. */
  configure(options: PoolOptions, boot?: Boot): void {
    this.#options = options;
    if (boot) {
      this.#boot = boot;
      this.#recipe += 1;
      this.#backoff = null;
      this.#abortBoots();
    }
    this.#pulse();
  }

  /** Counts as a use: makes the pool warm, or keeps it so, although nobody asks for a sandbox yet. */
  touch(): void {
    this.#usedAt = this.#clock.now();
    this.#pulse();
  }

  /** Destroys one sandbox, by its id in the snapshot; whoever leases it finds it lost. */
  stop(id: string): void {
    for (const slot of this.#slots.values()) if (viewOf(slot).id === id) this.#end(slot, 'it was stopped');
    this.#pulse();
  }

  /** Sends all who wait away: what they wait for cannot come. `cause` as a boot rejects with. */
  refuse(cause: unknown): void {
    this.#waiting.settleAll({ kind: 'failed', cause });
    this.#pulse();
  }

  snapshot(): PoolSnapshot {
    return { slots: [...this.#slots.values()].map(viewOf), waiting: this.#waiting.size };
  }

  /** Refuses all who wait and destroys every sandbox, leased ones too; resolves when all are gone. */
  dispose(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#alarm.dispose();
      this.#waiting.settleAll({ kind: 'closed' });
      for (const slot of this.#slots.values()) this.#end(slot, 'the engine ends');
      this.#pulse();
    }
    return this.#emptied.promise;
  }

  #pulse(): void {
    if (this.#closed) {
      // What does not go in time is left to the host, and to the sweep of a later engine.
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

  #state() {
    return {
      options: this.#options,
      slots: [...this.#slots.values()],
      waiters: this.#waiting.all(),
      recipe: this.#recipe,
      usedAt: this.#usedAt,
      backoff: this.#backoff,
    };
  }

  #perform(action: Action): void {
    switch (action.kind) {
      case 'grant':
        this.#waiting.settle(action.waiter, { kind: 'granted', lease: this.#grant(action.slot, action.waiter) });
        break;
      case 'boot':
        this.#startBoot();
        break;
      case 'retire':
        this.#end(action.slot, action.reason);
        break;
      case 'refuse':
        this.#waiting.settle(action.waiter, { kind: action.because });
        break;
    }
  }

  #grant({ id, member }: IdleSlot, { owner, purpose }: LeaseRequest): Lease {
    const bornAt = member.uses === 0 ? this.#clock.now() : member.bornAt;
    this.#slots.set(id, { kind: 'leased', id, purpose, member: { ...member, owner, bornAt, uses: member.uses + 1 } });
    return new Lease(member.sandbox, {
      give: (release) => this.#takeBack(id, release),
      overstay: () => this.#letOverstay(id),
    });
  }

  #letOverstay(id: number): void {
    const slot = this.#slots.get(id);
    if (slot?.kind !== 'leased' || slot.purpose !== 'run') return;
    const overstaying = [...this.#slots.values()].filter((one) => one.kind === 'leased' && one.purpose === 'overstay');
    if (overstaying.length >= this.#options.size) return;
    this.#slots.set(id, { ...slot, purpose: 'overstay' });
    this.#pulse();
  }

  #takeBack(id: number, release: Release): void {
    this.#usedAt = this.#clock.now();
    const slot = this.#slots.get(id);
    // It may have been lost or stopped meanwhile.
    if (slot?.kind !== 'leased') return;
    if (slot.purpose === 'session' || release === 'destroy') this.#end(slot, 'its lease has ended');
    else if (!this.#isReusable(slot.member)) this.#end(slot, 'it has served');
    else if (slot.purpose === 'overstay' && !this.#hasRoom()) this.#end(slot, 'another has taken its place');
    else if (release === 'keep') this.#rest(slot);
    else this.#reset(slot);
    this.#pulse();
  }

  #isReusable({ uses, bornAt, recipe }: Member): boolean {
    const { reuse, maxUses, maxAgeSeconds } = this.#options;
    const young = this.#clock.now() - bornAt < maxAgeSeconds * 1000;
    return reuse === 'reset' && uses < maxUses && young && recipe === this.#recipe;
  }

  #hasRoom(): boolean {
    const places = [...this.#slots.values()].filter((slot) => takesPlace(slot, this.#recipe));
    return places.length < this.#options.size;
  }

  #rest({ id, member }: LeasedSlot | ResettingSlot): void {
    this.#slots.set(id, { kind: 'idle', id, member, since: this.#clock.now() });
  }

  #reset({ id, member }: LeasedSlot): void {
    this.#slots.set(id, { kind: 'resetting', id, member });
    void this.#comeBack(member.sandbox).then((failure) => {
      const slot = this.#slots.get(id);
      if (slot?.kind !== 'resetting') return;
      if (failure === null) this.#rest(slot);
      else this.#end(slot, failure);
      this.#pulse();
    });
  }

  async #comeBack(sandbox: Sandbox): Promise<string | null> {
    const failure = await resetFailure(sandbox, this.#options.resetDeadlineMs * this.#clock.slowness(), this.#clock);
    const preparing = failure === null ? this.#prepare(sandbox) : null;
    if (preparing === null) return failure;
    return preparing.then(
      () => null,
      (error: unknown) => `it did not get ready again: ${messageOf(error)}`,
    );
  }

  #startBoot(): void {
    this.#slotCount += 1;
    const slot: BootingSlot = {
      kind: 'booting',
      id: this.#slotCount,
      recipe: this.#recipe,
      createdAt: Date.now(),
      abort: new AbortController(),
    };
    this.#slots.set(slot.id, slot);
    this.#boot(slot.abort.signal).then(
      (sandbox) => this.#onBooted(slot, sandbox),
      (cause) => this.#onBootFailed(slot, cause),
    );
  }

  #onBooted({ id, recipe, createdAt, abort }: BootingSlot, sandbox: Sandbox): void {
    const member: Member = { sandbox, recipe, createdAt, bornAt: this.#clock.now(), owner: null, uses: 0 };
    const slot: IdleSlot = { kind: 'idle', id, member, since: member.bornAt };
    this.#slots.set(id, slot);
    if (abort.signal.aborted) this.#end(slot, 'it is not wanted any more');
    else this.#onBootWorked();
    void sandbox.lost.then(({ reason }) => this.#onLost(id, reason));
    this.#pulse();
  }

  #onBootWorked(): void {
    if (this.#backoff) this.#log.info('Sandboxes can be made again.');
    this.#backoff = null;
  }

  #onBootFailed({ id, abort }: BootingSlot, cause: unknown): void {
    this.#slots.delete(id);
    if (!abort.signal.aborted) {
      const reason = messageOf(cause);
      // What is tried again and again for the same reason is not logged again and again.
      if (reason !== this.#backoff?.reason) this.#log.warn(`A sandbox could not be made: ${reason}`);
      this.#backoff = backOff(this.#backoff, this.#clock.now(), { reason, lastWaiter: this.#waiting.last });
      for (const waiter of strandedWaiters(this.#state())) this.#waiting.settle(waiter, { kind: 'failed', cause });
    }
    this.#pulse();
  }

  #onLost(id: number, reason: string): void {
    const slot = this.#slots.get(id);
    if (!slot || slot.kind === 'retiring') return;
    this.#end(slot, reason);
    this.#pulse();
  }

  /** Whatever the slot is, its sandbox is on its way out afterwards. */
  #end(slot: Slot, reason: string): void {
    if (slot.kind === 'retiring') return;
    if (slot.kind === 'booting') {
      slot.abort.abort();
      return;
    }
    const { id, member } = slot;
    const retiring: RetiringSlot = { kind: 'retiring', id, member, overdue: false };
    this.#slots.set(id, retiring);
    this.#log.debug(`sandbox ${nameOf(member)} goes: ${reason}`);
    const late = this.#clock.schedule(REMOVAL_MS, () => this.#onOverdue(retiring));
    void this.#remove(retiring).then(() => {
      late.dispose();
      this.#slots.delete(id);
      this.#pulse();
    });
  }

  /** Resolves when the sandbox is gone, or has to be left to the host because the pool ends. */
  async #remove(slot: RetiringSlot): Promise<void> {
    for (;;) {
      try {
        return await slot.member.sandbox.dispose();
      } catch (error) {
        this.#log.warn(`sandbox ${nameOf(slot.member)} could not be removed: ${messageOf(error)}`);
        if (this.#closed) return;
        this.#onOverdue(slot);
        await new Promise<void>((resolve) => this.#clock.schedule(REMOVAL_MS, resolve));
      }
    }
  }

  #onOverdue(slot: RetiringSlot): void {
    if (this.#slots.get(slot.id) !== slot) return;
    this.#slots.set(slot.id, { ...slot, overdue: true });
    this.#log.warn(`sandbox ${nameOf(slot.member)} is not gone yet; it takes one of the pool's places until it is`);
    this.#pulse();
  }

  #abortBoots(): void {
    for (const slot of this.#slots.values()) if (slot.kind === 'booting') slot.abort.abort();
  }
}

function nameOf({ sandbox }: Member): string {
  return sandbox.id.slice(0, 12);
}
