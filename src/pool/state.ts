import type { PoolOptions } from './options.ts';
import type { Owner } from './owner.ts';
import type { Purpose, Slot } from './slot.ts';

/** A request that has no sandbox yet. */
export interface Waiter {
  /** Rises with every request. */
  readonly number: number;
  readonly owner: Owner;
  readonly purpose: Purpose;
}

/**
 * After failed boots: no other is tried before `until`, except for requests newer than `lastWaiter`. It lasts until a boot
 * succeeds.
 */
export interface Backoff {
  readonly failures: number;
  /** What the latest of them failed with, for people. */
  readonly reason: string;
  readonly until: number;
  readonly lastWaiter: number;
}

/** All that a plan is made from; times by the pool's clock, in milliseconds. */
export interface PoolState {
  readonly options: PoolOptions;
  readonly slots: readonly Slot[];
  /** Oldest first. */
  readonly waiters: readonly Waiter[];
  /** The recipe in force. */
  readonly recipe: number;
  /** When the pool was last asked for a sandbox or got one back; null before the first time. */
  readonly usedAt: number | null;
  readonly backoff: Backoff | null;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** The backoff after one more failed boot. */
export function backOff(
  before: Backoff | null,
  now: number,
  { reason, lastWaiter }: Pick<Backoff, 'reason' | 'lastWaiter'>,
): Backoff {
  const failures = (before?.failures ?? 0) + 1;
  const delay = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
  return { failures, reason, until: now + delay, lastWaiter };
}

/**
 * The waiters that a failed boot leaves without hope: no other sandbox is being made, and none of their owner's is about
 * to come back.
 */
export function strandedWaiters({ slots, waiters, recipe }: PoolState): readonly Waiter[] {
  if (slots.some((slot) => slot.kind === 'booting' && slot.recipe === recipe)) return [];
  const returning = new Set<string | undefined>();
  for (const slot of slots) {
    if (slot.kind === 'resetting' || (slot.kind === 'leased' && slot.purpose === 'run'))
      returning.add(slot.member.owner?.id);
  }
  return waiters.filter(({ owner }) => !returning.has(owner.id));
}
