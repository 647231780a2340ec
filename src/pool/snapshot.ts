import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Owner } from './owner.ts';
import type { Slot } from './slot.ts';

/** One slot at one moment. */
export interface SlotView {
  /** The sandbox's id, or a name of ours while it boots. */
  readonly id: string;
  readonly state: Slot['kind'];
  readonly sandbox: Sandbox | null;
  readonly owner: Owner | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly uses: number;
}

/** A pool at one moment. */
export interface PoolSnapshot {
  readonly slots: readonly SlotView[];
  readonly waiting: number;
}

/** What views are told of a slot. */
export function viewOf(slot: Slot): SlotView {
  if (slot.kind === 'booting') {
    const { createdAt } = slot;
    return { id: `booting-${slot.id}`, state: 'booting', sandbox: null, owner: null, createdAt, uses: 0 };
  }
  const { sandbox, owner, createdAt, uses } = slot.member;
  return { id: sandbox.id, state: slot.kind, sandbox, owner, createdAt, uses };
}
