import type { Owner } from '../sandbox/owner.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** What a lease is for: a run counts toward the pool's size, a session does not. */
export type Purpose = 'run' | 'session';

/** Who wants a sandbox, and what for. */
export interface LeaseRequest {
  readonly owner: Owner;
  readonly purpose: Purpose;
}

/** How a sandbox comes back: `reset` for the next lease, `keep` as it is for the same owner's next one, or `destroy`. */
export type Release = 'reset' | 'keep' | 'destroy';

/** How a lease acts on its slot in the pool. */
export interface LeaseActions {
  release(release: Release): void;
  releaseSlot(): void;
}

/** The right to use one sandbox until `release`. */
export class Lease {
  readonly sandbox: Sandbox;
  readonly #actions: LeaseActions;
  #released = false;

  constructor(sandbox: Sandbox, actions: LeaseActions) {
    this.sandbox = sandbox;
    this.#actions = actions;
  }

  /**
   * Stops counting this run toward the pool's size, because it takes long. At most `size` runs do so at a time; beyond
   * that the call does nothing. If the pool has no room for the sandbox when it comes back, the sandbox is destroyed.
   */
  releaseSlot(): void {
    if (!this.#released) this.#actions.releaseSlot();
  }

  /** Gives the sandbox back, once; a second call throws. A session's sandbox is destroyed either way. */
  release(release: Release): void {
    if (this.#released) throw new Error(`the lease of sandbox ${this.sandbox.id} was released twice`);
    this.#released = true;
    this.#actions.release(release);
  }
}

/** The answer to a request for a lease. */
export type Grant =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** Too many requests wait already. */
  | { readonly kind: 'overloaded' }
  /** Every slot holds a sandbox that could not be removed. */
  | { readonly kind: 'stuck' }
  /** The caller's signal was aborted first. */
  | { readonly kind: 'aborted' }
  /** The pool has been disposed. */
  | { readonly kind: 'closed' }
  /** The sandbox could not be created; `cause` is what its boot rejected with. */
  | { readonly kind: 'failed'; readonly cause: unknown };
