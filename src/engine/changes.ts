import { type Disposable, toDisposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';

/** Many small changes told as one for each turn of the event loop. */
export class Changes implements Disposable {
  readonly #emitter = new Emitter<void>();
  #told: Disposable = toDisposable(() => {});
  #pending = false;

  readonly event: Event<void> = this.#emitter.event;

  mark(): void {
    if (this.#pending) return;
    this.#pending = true;
    const handle = setImmediate(() => {
      this.#pending = false;
      this.#emitter.fire();
    });
    this.#told = toDisposable(() => clearImmediate(handle));
  }

  dispose(): void {
    this.#told.dispose();
    this.#emitter.dispose();
  }
}
