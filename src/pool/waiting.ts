import { deferred } from '../base/deferred.ts';
import type { Grant } from './lease.ts';
import type { Owner } from './owner.ts';
import type { Purpose } from './slot.ts';
import type { Waiter } from './state.ts';

/** A waiter with the promise that its caller holds. */
export interface PendingWaiter extends Waiter {
  readonly granted: Promise<Grant>;
  /** Answers the caller; the waiter is off the list. */
  settle(grant: Grant): void;
}

/** The requests of a pool that have no sandbox yet, oldest first. */
export class WaitingList {
  readonly #waiters = new Map<number, PendingWaiter>();
  #last = 0;

  /** Number of the newest request so far. */
  get last(): number {
    return this.#last;
  }

  get size(): number {
    return this.#waiters.size;
  }

  add(owner: Owner, purpose: Purpose): PendingWaiter {
    this.#last += 1;
    const number = this.#last;
    const { promise, resolve } = deferred<Grant>();
    const settle = (grant: Grant) => {
      this.#waiters.delete(number);
      resolve(grant);
    };
    const waiter = { number, owner, purpose, granted: promise, settle };
    this.#waiters.set(number, waiter);
    return waiter;
  }

  has({ number }: Waiter): boolean {
    return this.#waiters.has(number);
  }

  all(): readonly PendingWaiter[] {
    return [...this.#waiters.values()];
  }

  settle({ number }: Waiter, grant: Grant): void {
    this.#waiters.get(number)?.settle(grant);
  }

  settleAll(grant: Grant): void {
    for (const waiter of this.all()) waiter.settle(grant);
  }
}
