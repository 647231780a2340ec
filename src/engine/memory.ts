import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

const POLL_MS = 3_000;

/** What sandboxes use, looked up every few seconds while somebody watches and there are any. */
export class MemoryPoll implements Disposable {
  readonly #clock: Clock;
  readonly #sandboxes: () => readonly Sandbox[];
  readonly #onChange: () => void;
  readonly #bytes = new WeakMap<Sandbox, number>();
  #watchers = 0;
  #timer: Disposable | null = null;
  #disposed = false;

  constructor(clock: Clock, sandboxes: () => readonly Sandbox[], onChange: () => void) {
    this.#clock = clock;
    this.#sandboxes = sandboxes;
    this.#onChange = onChange;
  }

  /** Null before the first look. */
  of(sandbox: Sandbox): number | null {
    return this.#bytes.get(sandbox) ?? null;
  }

  watch(): void {
    this.#watchers += 1;
    this.wake();
  }

  unwatch(): void {
    this.#watchers -= 1;
  }

  /** Goes on polling if it had stopped for want of sandboxes. */
  wake(): void {
    if (this.#disposed || this.#timer || this.#watchers === 0 || this.#sandboxes().length === 0) return;
    this.#timer = this.#clock.schedule(POLL_MS, () => void this.#poll());
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }

  async #poll(): Promise<void> {
    const changes = await Promise.all(this.#sandboxes().map((sandbox) => this.#look(sandbox)));
    this.#timer = null;
    if (changes.includes(true)) this.#onChange();
    this.wake();
  }

  async #look(sandbox: Sandbox): Promise<boolean> {
    // One that goes meanwhile has no memory to tell of; its end is told elsewhere.
    const bytes = await sandbox.memoryBytes().catch(() => null);
    if (bytes === null || bytes === this.#bytes.get(sandbox)) return false;
    this.#bytes.set(sandbox, bytes);
    return true;
  }
}
