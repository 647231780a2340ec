import { deferred } from '../../../base/deferred.ts';
import type { CellEnd, CellOutput } from '../../language.ts';
import type { MemoryWatch } from '../worker/memoryWatch.ts';

/** A cell that runs or waits to run; its first end counts, and no output follows it. */
export class Job {
  readonly #onOutput: (output: CellOutput) => void;
  readonly #ended = deferred<CellEnd>();
  readonly #stop = new AbortController();
  readonly #bytes = { stdout: 0, stderr: 0 };
  #memory: MemoryWatch | null = null;
  #isOver = false;
  readonly ended: Promise<CellEnd> = this.#ended.promise;
  /** Aborts when the cell ends, for whatever reason. */
  readonly signal: AbortSignal = this.#stop.signal;

  constructor(onOutput: (output: CellOutput) => void) {
    this.#onOutput = onOutput;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readonly say = (output: CellOutput): void => {
    if (this.#isOver) return;
    if (output.kind === 'stdout' || output.kind === 'stderr')
      this.#bytes[output.kind] += Buffer.byteLength(output.text);
    this.#onOutput(output);
  };

  /** Counts bytes that were written but not passed on. */
  drop(kind: 'stdout' | 'stderr', bytes: number): void {
    this.#bytes[kind] += bytes;
  }

  /** Watches memory until the cell ends; the peak becomes the cell's. */
  watch(memory: MemoryWatch): void {
    this.#memory?.dispose();
    this.#memory = memory;
    if (this.#isOver) memory.dispose();
  }

  end(end: CellEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#memory?.dispose();
    const peakMemoryBytes = Math.max(end.peakMemoryBytes, this.#memory?.peakBytes ?? 0);
    const { stdout: stdoutBytes, stderr: stderrBytes } = this.#bytes;
    this.#ended.resolve({ ...end, stdoutBytes, stderrBytes, peakMemoryBytes });
    this.#stop.abort();
  }
}
