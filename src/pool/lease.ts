import type { Sandbox } from '../sandbox/sandbox.ts';

/**
 * How a sandbox comes back: to be wiped and checked for the next lease, to be kept as it is for the same owner's next one,
 * or to be destroyed.
 */
export type Release = 'reset' | 'keep' | 'destroy';

/** What a lease does to the pool's slot. */
export interface Holding {
  give(release: Release): void;
  overstay(): void;
}

/** The right to use one sandbox until `release`. */
export class Lease {
  readonly sandbox: Sandbox;
  readonly #holding: Holding;
  #released = false;

  constructor(sandbox: Sandbox, holding: Holding) {
    this.sandbox = sandbox;
    this.#holding = holding;
  }

  /**
   * Leaves the place in the pool's size to others, because this run takes long: at most as many at a time as the size,
   * beyond that it does nothing. When it comes back and the pool has no room for it, its sandbox is destroyed.
   */
  overstay(): void {
    if (!this.#released) this.#holding.overstay();
  }

  /** Gives the sandbox back, once; a second call throws. A session's sandbox is destroyed either way. */
  release(release: Release): void {
    if (this.#released) throw new Error(`the lease of sandbox ${this.sandbox.id} was released twice`);
    this.#released = true;
    this.#holding.give(release);
  }
}

/** What a request for a lease comes to. */
export type Grant =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** Too many requests wait already. */
  | { readonly kind: 'overloaded' }
  /** Every place is taken by a sandbox that could not be removed. */
  | { readonly kind: 'stuck' }
  /** The caller's signal was aborted first. */
  | { readonly kind: 'aborted' }
  /** The pool has been disposed. */
  | { readonly kind: 'closed' }
  /** The sandbox it waited for could not be made; `cause` is what making it rejected with. */
  | { readonly kind: 'failed'; readonly cause: unknown };
