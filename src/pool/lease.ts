import type { Sandbox } from '../sandbox/sandbox.ts';

/** How a sandbox comes back: to be wiped and checked for the next lease, or to be destroyed. */
export type Release = 'reset' | 'destroy';

/** The right to use one sandbox until `release`. */
export class Lease {
  readonly sandbox: Sandbox;
  readonly #give: (release: Release) => void;
  #released = false;

  constructor(sandbox: Sandbox, give: (release: Release) => void) {
    this.sandbox = sandbox;
    this.#give = give;
  }

  /** Gives the sandbox back, once; a second call throws. A session's sandbox is destroyed either way. */
  release(release: Release): void {
    if (this.#released) throw new Error(`the lease of sandbox ${this.sandbox.id} was released twice`);
    this.#released = true;
    this.#give(release);
  }
}

/** What a request for a lease comes to. */
export type Grant =
  | { readonly kind: 'granted'; readonly lease: Lease }
  /** Too many requests wait already. */
  | { readonly kind: 'overloaded' }
  /** The caller's signal was aborted first. */
  | { readonly kind: 'aborted' }
  /** The pool has been disposed. */
  | { readonly kind: 'closed' }
  /** The sandbox it waited for could not be made; `cause` is what making it rejected with. */
  | { readonly kind: 'failed'; readonly cause: unknown };
