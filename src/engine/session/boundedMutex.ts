import { deferred } from '../../base/deferred.ts';

/** What waiting for a turn comes to. */
export type Turn =
  /** Nobody else has one until `done` is called. */
  | { readonly kind: 'taken'; readonly done: () => void }
  | { readonly kind: 'aborted' }
  /** Too many wait. */
  | { readonly kind: 'full' }
  /** All who waited were sent away. */
  | { readonly kind: 'dismissed' };

/** One at a time, in the order of arrival. */
export class Turns {
  readonly #limit: number;
  readonly #waiting = new Set<(turn: Turn) => void>();
  #taken = false;

  /** At most `limit` may wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether somebody has a turn now. */
  get taken(): boolean {
    return this.#taken;
  }

  async take(signal?: AbortSignal): Promise<Turn> {
    if (signal?.aborted) return { kind: 'aborted' };
    if (!this.#taken) return this.#give();
    if (this.#waiting.size >= this.#limit) return { kind: 'full' };
    const { promise, resolve } = deferred<Turn>();
    const abort = () => {
      if (this.#waiting.delete(resolve)) resolve({ kind: 'aborted' });
    };
    this.#waiting.add(resolve);
    signal?.addEventListener('abort', abort, { once: true });
    const turn = await promise;
    signal?.removeEventListener('abort', abort);
    return turn;
  }

  /** Sends all who wait away; the turn that is taken goes on. */
  dismiss(): void {
    for (const resolve of this.#waiting) resolve({ kind: 'dismissed' });
    this.#waiting.clear();
  }

  #give(): Turn {
    this.#taken = true;
    return { kind: 'taken', done: () => this.#next() };
  }

  #next(): void {
    this.#taken = false;
    const [first] = this.#waiting;
    if (!first) return;
    this.#waiting.delete(first);
    first(this.#give());
  }
}
