/** A resource that can be released; a second call does nothing. */
export interface Disposable {
  dispose(): void;
}

/** A disposable that runs `action` the first time it is disposed. */
export function toDisposable(action: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      action();
    },
  };
}

/** Disposables that are disposed of together, last added first; one added later is disposed of at once. */
export class DisposableStack implements Disposable {
  readonly #items: Disposable[] = [];
  #disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    this.#disposed = true;
    for (let item = this.#items.pop(); item; item = this.#items.pop()) item.dispose();
  }
}
