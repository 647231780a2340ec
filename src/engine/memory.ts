import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

const POLL_MS = 3_000;

/** Memory use of sandboxes, measured every few seconds while there are watchers and sandboxes. */
export class MemoryPoll implements Disposable {
  readonly #clock: Clock;
  readonly #sandboxes: () => readonly Sandbox[];
  readonly #onChange: () => void;
  readonly #bytes = new WeakMap<Sandbox, number>();
  readonly #asked = new WeakSet<Sandbox>();
  #watchers = 0;
  #timer: Disposable | null = null;
  #disposed = false;

  constructor(clock: Clock, sandboxes: () => readonly Sandbox[], onChange: () => void) {
    this.#clock = clock;
    this.#sandboxes = sandboxes;
    this.#onChange = onChange;
  }

  /** Bytes at the last measurement; null before the first. */
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

  /** Resumes polling when there are sandboxes again. */
  wake(): void {
    if (this.#disposed || this.#timer || this.#watchers === 0 || this.#sandboxes().length === 0) return;
    this.#timer = this.#clock.schedule(POLL_MS, () => this.#poll());
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }

  #poll(): void {
    this.#timer = null;
    for (const sandbox of this.#sandboxes()) void this.#measure(sandbox);
    this.wake();
  }

  async #measure(sandbox: Sandbox): Promise<void> {
    // The agent of a busy sandbox answers late, and others must not wait for it.
    if (this.#asked.has(sandbox)) return;
    this.#asked.add(sandbox);
    // Rejects when the sandbox ends, which is reported elsewhere.
    const measured = await sandbox.measure().catch(() => null);
    this.#asked.delete(sandbox);
    if (measured === null || measured.memoryBytes === this.#bytes.get(sandbox)) return;
    this.#bytes.set(sandbox, measured.memoryBytes);
    if (!this.#disposed) this.#onChange();
  }
}
