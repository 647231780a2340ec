/** The longest line that is passed on, in bytes; `MAX_BYTES` of `images/agent/hothouse_agent/jsonshape.py`. */
const MAX_LINE_BYTES = 6 * 1024 * 1024;
/** Room for the beginning of a line at first, in bytes; it doubles when it is full. */
const FIRST_BYTES = 1024;
const NEWLINE = 10;
/** Dropped lines between two pauses: under a millisecond of work. */
const LINES_AT_ONCE = 1_000;

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

  /** Whether a line has begun that can still be passed on. */
  get isInLine(): boolean {
    return this.#begunBytes > 0 && this.#begunBytes <= MAX_LINE_BYTES;
  }

  /** The lines that `chunk` completes, without empty ones; null now and then, where others may work. */
  *take(chunk: Buffer): Generator<Buffer | null> {
    let start = this.#afterEmpty(chunk, 0);
    let count = 0;
    for (let end = chunk.indexOf(NEWLINE, start); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = this.#afterEmpty(chunk, end + 1);
      count += 1;
      if (line) yield line;
      else if (count % LINES_AT_ONCE === 0) yield null;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Where the first line begins that is not empty. */
  #afterEmpty(chunk: Buffer, from: number): number {
    let start = from;
    if (this.#begunBytes === 0) while (chunk[start] === NEWLINE) start += 1;
    return start;
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
    if (bytes === 0) return undefined;
    const begun = this.#begun.subarray(0, this.#begunBytes);
    if (begun.length > 0) this.#begun = Buffer.alloc(0);
    this.#begunBytes = 0;
    this.#bytes += bytes;
    this.#lines += 1;
    if (bytes > MAX_LINE_BYTES || this.#bytes > this.#limits.bytes || this.#lines > this.#limits.lines) {
      this.dropped += 1;
      return undefined;
    }
    return begun.length === 0 ? rest : Buffer.concat([begun, rest]);
  }
}
