import { type Disposable, toDisposable } from './disposable.ts';

/** Subscribes `listener` until the returned disposable is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The firing side of an `Event`; listeners are called in the order they subscribed. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

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

/** An emitter that fires at most once for each turn of the event loop, however often it is marked. */
export class CoalescingEmitter implements Disposable {
  readonly #emitter = new Emitter<void>();
  #scheduled: Disposable | null = null;

  readonly event: Event<void> = this.#emitter.event;

  mark(): void {
    if (this.#scheduled || !this.#emitter.hasListeners) return;
    const handle = setImmediate(() => {
      this.#scheduled = null;
      this.#emitter.fire();
    });
    this.#scheduled = toDisposable(() => clearImmediate(handle));
  }

  dispose(): void {
    this.#scheduled?.dispose();
    this.#emitter.dispose();
  }
}
