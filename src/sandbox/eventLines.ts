/** The longest line that is passed on, in bytes; `MAX_BYTES` of `images/agent/hothouse_agent/jsonshape.py`. */
const MAX_LINE_BYTES = 6 * 1024 * 1024;
/** Room for the beginning of a line at first, in bytes; it doubles when it is full. */
const FIRST_BYTES = 1024;
const NEWLINE = 10;

/** The limits of one run's lines. */
export interface LineLimits {
  /** Bytes of all lines together, and how many lines. */
  readonly bytes: number;
  readonly lines: number;
}

/** Cuts what a process writes into lines. Drops lines beyond its limits, and counts them. */
export class EventLines {
  readonly #limits: LineLimits;
  /**
   * The beginning of a line whose end has not come. A copy: a piece may be one byte, and would keep all that arrived with
   * it in memory.
   */
  #begun = Buffer.alloc(0);
  /** Bytes of that beginning, also those that are not kept. */
  #begunBytes = 0;
  #bytes = 0;
  #lines = 0;
  /** Lines of this run that were dropped. */
  dropped = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /** Starts the counts of a new run. */
  restart(): void {
    this.#bytes = 0;
    this.#lines = 0;
    this.dropped = 0;
  }

  /** The lines that `chunk` completes, without empty ones. */
  *take(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line) yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    const bytes = this.#begunBytes + piece.length;
    // Dropped at its end, so what it has beyond the limit is not needed.
    if (bytes <= MAX_LINE_BYTES) {
      if (bytes > this.#begun.length) this.#grow(bytes);
      piece.copy(this.#begun, this.#begunBytes);
    }
    this.#begunBytes = bytes;
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#begun.length, FIRST_BYTES));
    this.#begun.copy(larger, 0, 0, this.#begunBytes);
    this.#begun = larger;
  }

  #complete(rest: Buffer): Buffer | undefined {
    const bytes = this.#begunBytes + rest.length;
    const begun = this.#begun.subarray(0, this.#begunBytes);
    this.#begun = Buffer.alloc(0);
    this.#begunBytes = 0;
    if (bytes === 0) return undefined;
    this.#bytes += bytes;
    this.#lines += 1;
    if (bytes > MAX_LINE_BYTES || this.#bytes > this.#limits.bytes || this.#lines > this.#limits.lines) {
      this.dropped += 1;
      return undefined;
    }
    return begun.length === 0 ? rest : Buffer.concat([begun, rest]);
  }
}
