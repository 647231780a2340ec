import { type Disposable, toDisposable } from './disposable.ts';

/** Subscribes `listener` until the returned disposable is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The firing side of an `Event`; listeners are called in the order they subscribed. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    const entry = (value: T) => listener(value);
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
