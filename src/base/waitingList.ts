/** Waiters in the order of arrival, each with the promise of its answer. One whose signal aborts leaves at once. */
export class WaitingList<T extends object, A> {
  readonly #aborted: A;
  readonly #onAborted: () => void;
  readonly #answers = new Map<T, (answer: A | Promise<A>) => void>();

  /** `aborted` answers a waiter whose signal aborts; `onAborted` is called after that. */
  constructor(aborted: A, onAborted: () => void = () => {}) {
    this.#aborted = aborted;
    this.#onAborted = onAborted;
  }

  get size(): number {
    return this.#answers.size;
  }

  /** The waiter that has waited longest. */
  get first(): T | undefined {
    const [first] = this.#answers.keys();
    return first;
  }

  /** Adds a waiter, which must not be on the list, with a signal that has not aborted. Never rejects by itself. */
  add(waiter: T, signal?: AbortSignal): Promise<A> {
    return new Promise((resolve) => {
      const abort = () => {
        this.answer(waiter, this.#aborted);
        this.#onAborted();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#answers.set(waiter, (answer) => {
        signal?.removeEventListener('abort', abort);
        resolve(answer);
      });
    });
  }

  has(waiter: T): boolean {
    return this.#answers.has(waiter);
  }

  all(): readonly T[] {
    return [...this.#answers.keys()];
  }

  /** Removes a waiter; the returned function answers it. Undefined when it is not on the list. */
  take(waiter: T): ((answer: A | Promise<A>) => void) | undefined {
    const answer = this.#answers.get(waiter);
    this.#answers.delete(waiter);
    return answer;
  }

  /** Removes and answers a waiter; does nothing for one that is not on the list. */
  answer(waiter: T, answer: A): void {
    this.take(waiter)?.(answer);
  }

  answerAll(answer: A): void {
    for (const waiter of this.all()) this.answer(waiter, answer);
  }
}
