import type { Clock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { LeanWorker } from './worker.ts';

const SAMPLE_MS = 100;

/** Samples the memory of a worker's sandbox while something runs in it. */
export class MemoryWatch implements Disposable {
  readonly #worker: LeanWorker;
  readonly #clock: Clock;
  #peakBytes = 0;
  #next: Disposable | null = null;
  #isOver = false;

  constructor(worker: LeanWorker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    void this.#sample();
  }

  /** The highest sample, in bytes. */
  get peakBytes(): number {
    return Math.max(this.#peakBytes, this.#worker.memoryBytes);
  }

  dispose(): void {
    this.#isOver = true;
    this.#next?.dispose();
  }

  async #sample(): Promise<void> {
    await this.#worker.look();
    this.#peakBytes = this.peakBytes;
    if (!this.#isOver) this.#next = this.#clock.schedule(SAMPLE_MS, () => void this.#sample());
  }
}
