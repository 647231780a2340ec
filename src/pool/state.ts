import type { LeaseRequest } from './lease.ts';
import type { Slot, SlotView } from './slot.ts';

/** How a pool behaves; `pool.*` of the engine's options. */
export interface PoolOptions {
  /** Warm sandboxes kept beside those of sessions. */
  readonly size: number;
  /** An idle sandbox is replaced this long after its first use. A pool that is unused for as long shrinks. */
  readonly maxAgeSeconds: number;
  /** Warm sandboxes that an unused pool keeps. */
  readonly minIdle: number;
  readonly maxConcurrentCreations: number;
  /** `never` gives every lease a sandbox of its own. */
  readonly reuse: 'reset' | 'never';
  /** Whether sandboxes are created before the first lease and kept while unused. */
  readonly prewarm: boolean;
  /** Requests that may wait; more are refused as `overloaded`. */
  readonly maxWaiting: number;
  /** Leases after which a sandbox is replaced. */
  readonly maxUses: number;
  readonly resetDeadlineMs: number;
}

/** A request that has no sandbox yet. */
export interface Waiter extends LeaseRequest {
  /** Rises with every request. */
  readonly number: number;
}

/**
 * After failed boots: the pool does not boot another sandbox before `until`, except for requests newer than
 * `lastWaiter`. A boot that succeeds ends the backoff.
 */
export interface Backoff {
  readonly failures: number;
  /** Message of the latest failure, for people. */
  readonly reason: string;
  readonly until: number;
  readonly lastWaiter: number;
}

/** The input of a plan; times by the pool's clock, in milliseconds. */
export interface PoolState {
  readonly options: PoolOptions;
  readonly slots: readonly Slot[];
  /** Oldest first. */
  readonly waiters: readonly Waiter[];
  /** Rises each time the specification of sandboxes changes. */
  readonly generation: number;
  /** When the pool last received a request or a returned sandbox; null before the first time. */
  readonly usedAt: number | null;
  readonly backoff: Backoff | null;
}

/** A pool as views see it, at one moment. */
export interface PoolSnapshot {
  readonly slots: readonly SlotView[];
  readonly waiting: number;
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
 * The waiters that no sandbox can serve after a failed boot: none boots, and none of their owner is about to come back.
 */
export function strandedWaiters({ slots, waiters, generation }: PoolState): readonly Waiter[] {
  if (slots.some((slot) => slot.kind === 'booting' && slot.generation === generation)) return [];
  const returning = new Set<string | undefined>();
  for (const slot of slots) {
    if (slot.kind === 'resetting' || (slot.kind === 'leased' && slot.purpose === 'run'))
      returning.add(slot.pooled.owner?.id);
  }
  return waiters.filter(({ owner }) => !returning.has(owner.id));
}
