import { deferred } from '../../../base/deferred.ts';
import type { CellEnd, CellOutput } from '../../language.ts';

/** One cell that a session runs, or is about to; its first end counts, and nothing is said behind it. */
export class Job {
  readonly #onOutput: (output: CellOutput) => void;
  readonly #ended = deferred<CellEnd>();
  readonly #stop = new AbortController();
  readonly #bytes = { stdout: 0, stderr: 0 };
  #isOver = false;
  readonly ended: Promise<CellEnd> = this.#ended.promise;
  /** Aborts when the cell has ended, whatever ended it. */
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

  end(end: CellEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended.resolve({ ...end, stdoutBytes: this.#bytes.stdout, stderrBytes: this.#bytes.stderr });
    this.#stop.abort();
  }
}
