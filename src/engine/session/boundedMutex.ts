import { WaitingList } from '../../base/waitingList.ts';

/** The outcome of waiting for the mutex. */
export type Acquisition =
  /** The caller holds the mutex until it calls `release`. */
  | { readonly kind: 'acquired'; readonly release: () => void }
  | { readonly kind: 'aborted' }
  /** Too many callers wait. */
  | { readonly kind: 'full' }
  /** `rejectWaiting` was called. */
  | { readonly kind: 'rejected' };

/** A mutex with a bounded queue: one holder at a time, in the order of arrival. */
export class BoundedMutex {
  readonly #limit: number;
  readonly #waiting = new WaitingList<object, Acquisition>({ kind: 'aborted' });
  #isHeld = false;

  /** At most `limit` callers may wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  async acquire(signal?: AbortSignal): Promise<Acquisition> {
    if (signal?.aborted) return { kind: 'aborted' };
    if (!this.#isHeld) return this.#hold();
    if (this.#waiting.size >= this.#limit) return { kind: 'full' };
    return this.#waiting.add({}, signal);
  }

  /** Rejects every waiting caller; the current holder keeps the mutex. */
  rejectWaiting(): void {
    this.#waiting.answerAll({ kind: 'rejected' });
  }

  #hold(): Acquisition {
    this.#isHeld = true;
    return { kind: 'acquired', release: () => this.#release() };
  }

  #release(): void {
    this.#isHeld = false;
    const { first } = this.#waiting;
    if (first) this.#waiting.answer(first, this.#hold());
  }
}
