import { type IdleSlot, type ResettingSlot, takesPlace } from './slot.ts';
import type { PoolState, Waiter } from './state.ts';

/** One step that the pool performs. */
export type Action =
  | { readonly kind: 'grant'; readonly waiter: Waiter; readonly slot: IdleSlot }
  | { readonly kind: 'boot' }
  | { readonly kind: 'retire'; readonly slot: IdleSlot; readonly reason: string }
  | { readonly kind: 'refuse'; readonly waiter: Waiter; readonly because: 'overloaded' | 'stuck' };

/** What to do now, and when to look again although nothing has happened. */
export interface Plan {
  readonly actions: readonly Action[];
  /** By the pool's clock; null when only an event can change anything. */
  readonly wakeAt: number | null;
}

/**
 * Matches waiters with slots, first come first served. The oldest waiter that no sandbox can serve, now or soon, gets
 * room before younger ones are looked at, so that nobody can be passed for ever. Performing the actions and planning
 * again until there are none leads to rest.
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
  /** Sandboxes being made that no waiter has been promised. */
  #coming: number;
  #creations: number;
  /** Sandboxes that may be added before the pool's size is reached; negative when there are too many. */
  #room: number;
  /** As many sandboxes as the pool's size should be gone and are not: another one could end in the same way. */
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
    const overdue = state.slots.filter((slot) => slot.kind === 'retiring' && slot.overdue);
    this.#isStuck = overdue.length > 0 && overdue.length >= state.options.size;
    for (const slot of state.slots) {
      if (slot.kind === 'idle') this.#idle.push(slot);
      if (slot.kind === 'resetting') this.#resetting.push(slot);
      if (slot.kind === 'booting') this.#creations += 1;
      if (!takesPlace(slot, state.recipe)) continue;
      if (slot.kind === 'booting') this.#coming += 1;
      this.#room -= 1;
    }
  }

  /** Idle sandboxes of an old recipe go, and those of age: one at a time, so that somebody who comes finds a warm one. */
  retireUnfit(): void {
    for (const slot of [...this.#idle]) {
      if (slot.member.recipe !== this.#state.recipe) this.#retire(slot, 'its configuration has changed');
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
    } else this.#makeRoom(waiter);
  }

  /** Idle sandboxes beyond the size go, the oldest first. */
  shrink(): void {
    while (this.#room < 0 && this.#idle.length > 0) this.#retireOldest('the pool has become smaller');
  }

  /** Fills up to the size, once nobody waits: what a waiter needs comes first. */
  refill(): void {
    if (this.#waiting > 0 || !this.#inUse()) return;
    while (this.#room > 0 && this.#boot(null));
  }

  wakeAt(): number | null {
    const ages = this.#idle.filter((slot) => !isFresh(slot)).map(({ member }) => member.bornAt + this.#maxAgeMs);
    const unused = this.#state.usedAt === null ? [] : [this.#state.usedAt + this.#maxAgeMs];
    const times = [...ages, ...unused].filter((time) => time > this.#now);
    const { backoff } = this.#state;
    if (this.#heldBack && backoff) times.push(backoff.until);
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** The owner's own sandbox before a fresh one; of several the one idle for longest, which has had time to get ready. */
  #pick({ owner }: Waiter): IdleSlot | undefined {
    const own = this.#idle.filter(({ member }) => member.owner?.id === owner.id);
    const fit = own.length > 0 ? own : this.#idle.filter(({ member }) => member.owner === null);
    const slot = fit.reduce<IdleSlot | undefined>(
      (one, other) => (one && one.since <= other.since ? one : other),
      undefined,
    );
    if (slot) this.#idle = this.#idle.filter((other) => other !== slot);
    return slot;
  }

  #isPromised({ owner }: Waiter): boolean {
    const own = this.#resetting.findIndex(({ member }) => member.owner?.id === owner.id);
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
      this.#retireOldest('another owner needs its place');
    }
    if (this.#room > 0 && this.#boot(waiter)) this.#coming -= 1;
    else if (this.#room > 0) this.#room -= 1;
  }

  /** What has never served is as good as new, but a pool that is not used needs few. */
  #keepFew(slot: IdleSlot): void {
    if (!this.#inUse() && this.#freshCount() > this.#state.options.minIdle) {
      this.#retire(slot, 'the pool was not used for long');
    }
  }

  #replace(slot: IdleSlot): void {
    if (!this.#inUse() && this.#freshCount() >= this.#state.options.minIdle) {
      this.#retire(slot, 'the pool was not used for long');
    } else if (this.#coming === 0 && this.#boot(null)) this.#retire(slot, 'it has reached its age');
  }

  /** Sandboxes that can serve whoever comes next, and those that are on their way. */
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
    // One tells whether it works again; several would fail alike.
    if (waiter === null && this.#creations > 0) return false;
    if (this.#now >= backoff.until) return true;
    if (waiter !== null && waiter.number > backoff.lastWaiter) return true;
    this.#heldBack = true;
    return false;
  }

  #retireOldest(reason: string): void {
    const oldest = this.#idle.reduce((one, other) => (other.member.bornAt < one.member.bornAt ? other : one));
    this.#retire(oldest, reason);
  }

  #retire(slot: IdleSlot, reason: string): void {
    this.actions.push({ kind: 'retire', slot, reason });
    this.#idle = this.#idle.filter((other) => other !== slot);
    this.#room += 1;
  }

  #ageOf({ member }: IdleSlot): number {
    return this.#now - member.bornAt;
  }

  #inUse(): boolean {
    const { options, usedAt } = this.#state;
    return options.prewarm || (usedAt !== null && this.#now - usedAt < this.#maxAgeMs);
  }
}

function isFresh({ member }: IdleSlot): boolean {
  return member.owner === null;
}
