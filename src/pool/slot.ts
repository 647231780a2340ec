import type { Owner } from '../sandbox/owner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Purpose } from './lease.ts';

/** A sandbox with what the pool knows of it. */
export interface PooledSandbox {
  readonly sandbox: Sandbox;
  /** When it was created, or first leased: before that it does not age. By the pool's clock, in milliseconds. */
  readonly createdAtMs: number;
  /** When it was created, in milliseconds since the epoch, for people. */
  readonly createdAtEpochMs: number;
  /** The pool's generation when it was created; outdated when the pool's number is higher. */
  readonly generation: number;
  /** The one owner it has served or serves, null while it is fresh. */
  readonly owner: Owner | null;
  /** Leases so far. */
  readonly uses: number;
}

interface Numbered {
  readonly id: number;
}

export interface BootingSlot extends Numbered {
  readonly kind: 'booting';
  readonly generation: number;
  readonly createdAtEpochMs: number;
  readonly abort: AbortController;
}

export interface IdleSlot extends Numbered {
  readonly kind: 'idle';
  readonly pooled: PooledSandbox;
  /** When it became idle, by the pool's clock. */
  readonly since: number;
}

export interface LeasedSlot extends Numbered {
  readonly kind: 'leased';
  readonly pooled: PooledSandbox;
  /** `overflow` is a run that no longer counts toward the pool's size; see `Lease.releaseSlot`. */
  readonly purpose: Purpose | 'overflow';
}

export interface ResettingSlot extends Numbered {
  readonly kind: 'resetting';
  readonly pooled: PooledSandbox;
}

export interface RetiringSlot extends Numbered {
  readonly kind: 'retiring';
  readonly pooled: PooledSandbox;
  /**
   * `overdue`: it takes too long; its code may still run, so it counts toward the size until it is gone. `stuck`: it has
   * failed or takes very long.
   */
  readonly removal: 'expected' | 'overdue' | 'stuck';
}

/** One slot of a pool. */
export type Slot = BootingSlot | IdleSlot | LeasedSlot | ResettingSlot | RetiringSlot;

/** Whether a slot counts toward the pool's size; `generation` is the pool's current one. */
export function countsTowardSize(slot: Slot, generation: number): boolean {
  if (slot.kind === 'leased') return slot.purpose === 'run';
  if (slot.kind === 'booting') return slot.generation === generation;
  return slot.kind !== 'retiring' || slot.removal !== 'expected';
}

/** A slot as views see it, at one moment. */
export interface SlotView {
  /** The sandbox's id, or a temporary name while it boots. */
  readonly id: string;
  readonly state: Slot['kind'];
  readonly sandbox: Sandbox | null;
  readonly owner: Owner | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly uses: number;
}

/** The view of a slot. */
export function viewOf(slot: Slot): SlotView {
  if (slot.kind === 'booting') {
    const { createdAtEpochMs: createdAt } = slot;
    return { id: `booting-${slot.id}`, state: 'booting', sandbox: null, owner: null, createdAt, uses: 0 };
  }
  const { sandbox, owner, createdAtEpochMs: createdAt, uses } = slot.pooled;
  return { id: sandbox.id, state: slot.kind, sandbox, owner, createdAt, uses };
}
