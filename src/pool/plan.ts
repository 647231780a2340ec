import { countsTowardSize, type IdleSlot, type ResettingSlot } from './slot.ts';
import type { PoolState, Waiter } from './state.ts';

/** One step that the pool performs. */
export type Action =
  | { readonly kind: 'grant'; readonly waiter: Waiter; readonly slot: IdleSlot }
  | { readonly kind: 'boot' }
  | { readonly kind: 'retire'; readonly slot: IdleSlot; readonly reason: string }
  | { readonly kind: 'refuse'; readonly waiter: Waiter; readonly because: 'overloaded' | 'stuck' };

/** What to do now, and when to plan again if nothing happens before. */
export interface Plan {
  readonly actions: readonly Action[];
  /** By the pool's clock; null when only an event can change anything. */
  readonly wakeAt: number | null;
}

/**
 * Matches waiters with slots, first come first served. The oldest waiter that no sandbox can serve, now or soon, gets
 * room before younger ones are considered, so that none starves. Performing the actions and planning again until there
 * are none terminates.
 */
export function plan(state: PoolState, now: number): Plan {
  const planning = new Planning(state, now);
  planning.retireUnfit();
  for (const waiter of state.waiters) planning.serve(waiter);
  planning.shrink();
  planning.refill();
  return { actions: planning.actions, wakeAt: planning.wakeAt() };
}

class Planning {
  readonly actions: Action[] = [];
  readonly #state: PoolState;
  readonly #now: number;
  readonly #maxAgeMs: number;
  #idle: IdleSlot[];
  readonly #resetting: ResettingSlot[];
  /** Booting sandboxes that are not promised to a waiter. */
  #coming: number;
  #creations: number;
  /** Sandboxes that may be added before the pool's size is reached; negative when there are too many. */
  #room: number;
  /** The removals of as many sandboxes as the pool's size are overdue: another one could end in the same way. */
  readonly #isFull: boolean;
  /** They are stuck, so nothing is worth waiting for. */
  readonly #isStuck: boolean;
  #waiting = 0;
  #heldBack = false;

  constructor(state: PoolState, now: number) {
    this.#state = state;
    this.#now = now;
    this.#maxAgeMs = state.options.maxAgeSeconds * 1000;
    this.#idle = [];
    this.#resetting = [];
    this.#coming = 0;
    this.#creations = 0;
    this.#room = state.options.size;
    const removals = state.slots.flatMap((slot) => (slot.kind === 'retiring' ? [slot.removal] : []));
    const fills = ({ length }: readonly unknown[]) => length > 0 && length >= state.options.size;
    this.#isFull = fills(removals.filter((removal) => removal !== 'expected'));
    this.#isStuck = fills(removals.filter((removal) => removal === 'stuck'));
    for (const slot of state.slots) {
      if (slot.kind === 'idle') this.#idle.push(slot);
      if (slot.kind === 'resetting') this.#resetting.push(slot);
      if (slot.kind === 'booting') this.#creations += 1;
      if (!countsTowardSize(slot, state.generation)) continue;
      if (slot.kind === 'booting') this.#coming += 1;
      this.#room -= 1;
    }
  }

  /** Retires idle sandboxes of an old generation, and aged ones: one at a time, so that a request finds a warm one. */
  retireUnfit(): void {
    for (const slot of [...this.#idle]) {
      if (slot.pooled.generation !== this.#state.generation) this.#retire(slot, 'its configuration has changed');
      else if (isFresh(slot)) this.#keepFew(slot);
      else if (this.#ageOf(slot) >= this.#maxAgeMs) this.#replace(slot);
    }
  }

  serve(waiter: Waiter): void {
    const slot = this.#pick(waiter);
    if (slot) {
      this.actions.push({ kind: 'grant', waiter, slot });
      if (waiter.purpose === 'session') this.#room += 1;
      return;
    }
    if (this.#waiting >= this.#state.options.maxWaiting) {
      this.actions.push({ kind: 'refuse', waiter, because: 'overloaded' });
      return;
    }
    if (this.#isStuck) {
      this.actions.push({ kind: 'refuse', waiter, because: 'stuck' });
      return;
    }
    this.#waiting += 1;
    if (this.#isPromised(waiter)) {
      if (waiter.purpose === 'session') this.#room += 1;
    } else if (!this.#isFull) this.#makeRoom(waiter);
  }

  /** Retires idle sandboxes beyond the size, the oldest first. */
  shrink(): void {
    while (this.#room < 0 && this.#idle.length > 0) this.#retireOldest('the pool has become smaller');
  }

  /** Fills up to the size when no request waits: what a waiter needs comes first. */
  refill(): void {
    if (this.#waiting > 0 || !this.#inUse()) return;
    while (this.#room > 0 && this.#boot(null));
  }

  wakeAt(): number | null {
    const ages = this.#idle.filter((slot) => !isFresh(slot)).map(({ pooled }) => pooled.createdAtMs + this.#maxAgeMs);
    const unused = this.#state.usedAt === null ? [] : [this.#state.usedAt + this.#maxAgeMs];
    const times = [...ages, ...unused].filter((time) => time > this.#now);
    const { backoff } = this.#state;
    if (this.#heldBack && backoff) times.push(backoff.until);
    return times.length > 0 ? Math.min(...times) : null;
  }

  /**
   * The owner's own sandbox before a fresh one; of several the one that was idle for longest, which is most likely
   * ready.
   */
  #pick({ owner }: Waiter): IdleSlot | undefined {
    const own = this.#idle.filter(({ pooled }) => pooled.owner?.id === owner.id);
    const fit = own.length > 0 ? own : this.#idle.filter(({ pooled }) => pooled.owner === null);
    const slot = fit.reduce<IdleSlot | undefined>(
      (one, other) => (one && one.since <= other.since ? one : other),
      undefined,
    );
    if (slot) this.#idle = this.#idle.filter((other) => other !== slot);
    return slot;
  }

  #isPromised({ owner }: Waiter): boolean {
    const own = this.#resetting.findIndex(({ pooled }) => pooled.owner?.id === owner.id);
    if (own >= 0) this.#resetting.splice(own, 1);
    else if (this.#coming > 0) this.#coming -= 1;
    else return false;
    return true;
  }

  #makeRoom(waiter: Waiter): void {
    if (waiter.purpose === 'session') {
      // Sessions come on top of the size, so that they never wait for a run to end.
      if (!this.#boot(waiter)) return;
      this.#room += 1;
      this.#coming -= 1;
      return;
    }
    if (this.#room <= 0 && this.#idle.length > 0 && this.#mayTry(waiter)) {
      this.#retireOldest('another owner needs its slot');
    }
    if (this.#room > 0 && this.#boot(waiter)) this.#coming -= 1;
    else if (this.#room > 0) this.#room -= 1;
  }

  /** A fresh sandbox does not age, but an unused pool keeps few. */
  #keepFew(slot: IdleSlot): void {
    if (!this.#inUse() && this.#freshCount() > this.#state.options.minIdle) {
      this.#retire(slot, 'the pool is unused');
    }
  }

  #replace(slot: IdleSlot): void {
    if (!this.#inUse() && this.#freshCount() >= this.#state.options.minIdle) {
      this.#retire(slot, 'the pool is unused');
    } else if (this.#coming === 0 && this.#boot(null)) this.#retire(slot, 'it has reached its maximum age');
  }

  /** Fresh sandboxes, booting ones included. */
  #freshCount(): number {
    return this.#idle.filter(isFresh).length + this.#coming;
  }

  #boot(waiter: Waiter | null): boolean {
    if (!this.#mayTry(waiter)) return false;
    if (this.#creations >= this.#state.options.maxConcurrentCreations) return false;
    this.actions.push({ kind: 'boot' });
    this.#creations += 1;
    this.#coming += 1;
    this.#room -= 1;
    return true;
  }

  #mayTry(waiter: Waiter | null): boolean {
    const { backoff } = this.#state;
    if (!backoff) return true;
    // One attempt shows whether boots work again.
    if (waiter === null && this.#creations > 0) return false;
    if (this.#now >= backoff.until) return true;
    if (waiter !== null && waiter.number > backoff.lastWaiter) return true;
    this.#heldBack = true;
    return false;
  }

  #retireOldest(reason: string): void {
    const oldest = this.#idle.reduce((one, other) => (other.pooled.createdAtMs < one.pooled.createdAtMs ? other : one));
    this.#retire(oldest, reason);
  }

  #retire(slot: IdleSlot, reason: string): void {
    this.actions.push({ kind: 'retire', slot, reason });
    this.#idle = this.#idle.filter((other) => other !== slot);
    this.#room += 1;
  }

  #ageOf({ pooled }: IdleSlot): number {
    return this.#now - pooled.createdAtMs;
  }

  #inUse(): boolean {
    const { options, usedAt } = this.#state;
    return options.prewarm || (usedAt !== null && this.#now - usedAt < this.#maxAgeMs);
  }
}

function isFresh({ pooled }: IdleSlot): boolean {
  return pooled.owner === null;
}
