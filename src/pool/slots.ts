import type { Clock } from '../base/clock.ts';
import { type Log, messageOf } from '../base/log.ts';
import type { Owner } from '../sandbox/owner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Purpose } from './lease.ts';
import { type Prepare, recycleFailure } from './recycle.ts';
import type { BootingSlot, IdleSlot, LeasedSlot, PooledSandbox, ResettingSlot, RetiringSlot, Slot } from './slot.ts';

/** Creates one sandbox. Rejects when that fails or `signal` aborts; then it has removed what it created. */
export type Boot = (signal: AbortSignal) => Promise<Sandbox>;

/** A removal that takes longer than this is overdue; a failed one is retried as often. Milliseconds. */
export const REMOVAL_MS = 5_000;
/** A removal that takes longer than this counts as failed: a busy host takes long for each. Milliseconds. */
const STUCK_MS = 30_000;

/** What slots work with. */
export interface SlotsDependencies {
  readonly prepare: Prepare;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a slot has changed by itself: its sandbox booted, was reset, was lost or is gone. */
  readonly onDidChange: () => void;
  /**
   * Called before `onDidChange`; `cause` is what the boot rejected with, or null when it succeeded. Not after an abort.
   */
  readonly onDidBoot: (failure: { readonly cause: unknown } | null) => void;
}

/** The slots of a pool, and what moves a sandbox from one state to the next: boot, reset, loss and removal. */
export class Slots {
  readonly #dependencies: SlotsDependencies;
  readonly #slots = new Map<number, Slot>();
  #count = 0;
  #abandoned = false;

  constructor(dependencies: SlotsDependencies) {
    this.#dependencies = dependencies;
  }

  all(): readonly Slot[] {
    return [...this.#slots.values()];
  }

  /** The slot of that number if it is leased; its sandbox may have been lost or stopped meanwhile. */
  leased(id: number): LeasedSlot | null {
    const slot = this.#slots.get(id);
    return slot?.kind === 'leased' ? slot : null;
  }

  boot(boot: Boot, generation: number): void {
    this.#count += 1;
    const slot: BootingSlot = {
      kind: 'booting',
      id: this.#count,
      generation,
      createdAtEpochMs: Date.now(),
      abort: new AbortController(),
    };
    this.#slots.set(slot.id, slot);
    boot(slot.abort.signal).then(
      (sandbox) => this.#onBooted(slot, sandbox),
      (cause) => this.#onBootFailed(slot, cause),
    );
  }

  /** Adds the sandbox of a session that another engine had, as leased. */
  adopt(sandbox: Sandbox, owner: Owner, generation: number): LeasedSlot {
    this.#count += 1;
    const createdAtMs = this.#dependencies.clock.now();
    const pooled: PooledSandbox = { sandbox, generation, createdAtMs, createdAtEpochMs: Date.now(), owner, uses: 1 };
    const slot: LeasedSlot = { kind: 'leased', id: this.#count, purpose: 'session', pooled };
    this.#slots.set(slot.id, slot);
    void sandbox.lost.then(({ reason }) => this.#onLost(slot.id, reason));
    return slot;
  }

  abortBoots(): void {
    for (const slot of this.#slots.values()) if (slot.kind === 'booting') slot.abort.abort();
  }

  lease({ id, pooled }: IdleSlot, owner: Owner, purpose: Purpose): void {
    const createdAtMs = pooled.uses === 0 ? this.#dependencies.clock.now() : pooled.createdAtMs;
    const leased: PooledSandbox = { ...pooled, owner, createdAtMs, uses: pooled.uses + 1 };
    this.#slots.set(id, { kind: 'leased', id, purpose, pooled: leased });
  }

  /** The lease stays, and no longer counts toward the pool's size. */
  overflow(slot: LeasedSlot): void {
    this.#slots.set(slot.id, { ...slot, purpose: 'overflow' });
  }

  makeIdle({ id, pooled }: LeasedSlot | ResettingSlot): void {
    this.#slots.set(id, { kind: 'idle', id, pooled, since: this.#dependencies.clock.now() });
  }

  /**
   * Resets and prepares the sandbox, which becomes idle; one that fails or takes longer than the deadline is removed.
   */
  reset({ id, pooled }: LeasedSlot, deadlineMs: number): void {
    const { prepare, clock } = this.#dependencies;
    this.#slots.set(id, { kind: 'resetting', id, pooled });
    void recycleFailure(pooled.sandbox, { deadlineMs, prepare, clock }).then((failure) => {
      const slot = this.#slots.get(id);
      if (slot?.kind !== 'resetting') return;
      if (failure === null) this.makeIdle(slot);
      else this.end(slot, failure);
      this.#dependencies.onDidChange();
    });
  }

  /** Destroys the slot's sandbox, whatever state the slot is in. */
  end(slot: Slot, reason: string): void {
    if (slot.kind === 'retiring') return;
    if (slot.kind === 'booting') {
      slot.abort.abort();
      return;
    }
    const { id, pooled } = slot;
    const { clock, log } = this.#dependencies;
    const retiring: RetiringSlot = { kind: 'retiring', id, pooled, removal: 'expected' };
    this.#slots.set(id, retiring);
    log.debug(`sandbox ${nameOf(pooled)} is removed: ${reason}`);
    const late = clock.schedule(REMOVAL_MS, () => this.#delay(id, 'overdue'));
    const stuck = clock.schedule(STUCK_MS, () => this.#delay(id, 'stuck'));
    void this.#remove(retiring).then(() => {
      late.dispose();
      stuck.dispose();
      this.#slots.delete(id);
      this.#dependencies.onDidChange();
    });
  }

  /** Ends every slot. From now on a failed removal is not retried. */
  endAll(reason: string): void {
    this.#abandoned = true;
    for (const slot of this.all()) this.end(slot, reason);
  }

  #onBooted({ id, generation, createdAtEpochMs, abort }: BootingSlot, sandbox: Sandbox): void {
    const createdAtMs = this.#dependencies.clock.now();
    const pooled: PooledSandbox = { sandbox, generation, createdAtMs, createdAtEpochMs, owner: null, uses: 0 };
    const slot: IdleSlot = { kind: 'idle', id, pooled, since: createdAtMs };
    this.#slots.set(id, slot);
    if (abort.signal.aborted) this.end(slot, 'it is no longer wanted');
    else this.#dependencies.onDidBoot(null);
    void sandbox.lost.then(({ reason }) => this.#onLost(id, reason));
    this.#dependencies.onDidChange();
  }

  #onBootFailed({ id, abort }: BootingSlot, cause: unknown): void {
    this.#slots.delete(id);
    if (!abort.signal.aborted) this.#dependencies.onDidBoot({ cause });
    this.#dependencies.onDidChange();
  }

  #onLost(id: number, reason: string): void {
    const slot = this.#slots.get(id);
    if (!slot || slot.kind === 'retiring') return;
    this.end(slot, reason);
    this.#dependencies.onDidChange();
  }

  /** Retries until the sandbox is gone, or until `endAll`. */
  async #remove(slot: RetiringSlot): Promise<void> {
    const { clock, log } = this.#dependencies;
    for (;;) {
      try {
        return await slot.pooled.sandbox.dispose();
      } catch (error) {
        log.warn(`sandbox ${nameOf(slot.pooled)} could not be removed: ${messageOf(error)}`);
        if (this.#abandoned) return;
        this.#delay(slot.id, 'stuck');
        await new Promise<void>((resolve) => clock.schedule(REMOVAL_MS, resolve));
      }
    }
  }

  #delay(id: number, removal: 'overdue' | 'stuck'): void {
    const slot = this.#slots.get(id);
    if (slot?.kind !== 'retiring' || slot.removal === 'stuck') return;
    const { log, onDidChange } = this.#dependencies;
    this.#slots.set(id, { ...slot, removal });
    if (slot.removal === 'expected') {
      log.warn(`sandbox ${nameOf(slot.pooled)} is not removed yet; it counts toward the pool's size until it is`);
    }
    onDidChange();
  }
}

function nameOf({ sandbox }: PooledSandbox): string {
  return sandbox.id.slice(0, 12);
}
