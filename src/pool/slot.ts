import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Owner } from './owner.ts';

/** What a lease is for: a run counts towards the pool's size, a session does not. */
export type Purpose = 'run' | 'session';

/** A sandbox with what the pool knows of it. */
export interface Member {
  readonly sandbox: Sandbox;
  /** When it was made, or leased for the first time: before that it does not age. By the pool's clock, in milliseconds. */
  readonly bornAt: number;
  /** Milliseconds since the epoch, for people. */
  readonly createdAt: number;
  /** The recipe it was made by; another one has replaced it when the pool's number is higher. */
  readonly recipe: number;
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
  readonly recipe: number;
  readonly createdAt: number;
  readonly abort: AbortController;
}

export interface IdleSlot extends Numbered {
  readonly kind: 'idle';
  readonly member: Member;
  /** When it became idle, by the pool's clock. */
  readonly since: number;
}

export interface LeasedSlot extends Numbered {
  readonly kind: 'leased';
  readonly member: Member;
  /** `overstay` is a run that has left its place in the pool's size to others. */
  readonly purpose: Purpose | 'overstay';
}

export interface ResettingSlot extends Numbered {
  readonly kind: 'resetting';
  readonly member: Member;
}

export interface RetiringSlot extends Numbered {
  readonly kind: 'retiring';
  readonly member: Member;
  /** Its end takes too long: what it runs may go on, so that it takes a place until it is gone. */
  readonly overdue: boolean;
}

/** One place of a pool. */
export type Slot = BootingSlot | IdleSlot | LeasedSlot | ResettingSlot | RetiringSlot;

/** Whether a slot takes one of the places that the pool's size gives; `recipe` is the one in force. */
export function takesPlace(slot: Slot, recipe: number): boolean {
  if (slot.kind === 'leased') return slot.purpose === 'run';
  if (slot.kind === 'booting') return slot.recipe === recipe;
  return slot.kind !== 'retiring' || slot.overdue;
}
