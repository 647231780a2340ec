/** The longest line that is passed on, in bytes; `MAX_BYTES` of `images/agent/hothouse_agent/jsonshape.py`. */
const MAX_LINE_BYTES = 6 * 1024 * 1024;
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
  /** The beginning of a line whose end has not come. */
  readonly #begun: Buffer[] = [];
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
    this.#begunBytes += piece.length;
    // Dropped at its end, so what it has beyond the limit is not needed.
    if (piece.length > 0 && this.#begunBytes <= MAX_LINE_BYTES) this.#begun.push(piece);
  }

  #complete(rest: Buffer): Buffer | undefined {
    const bytes = this.#begunBytes + rest.length;
    const begun = this.#begun.splice(0);
    this.#begunBytes = 0;
    if (bytes === 0) return undefined;
    this.#bytes += bytes;
    this.#lines += 1;
    if (bytes > MAX_LINE_BYTES || this.#bytes > this.#limits.bytes || this.#lines > this.#limits.lines) {
      this.dropped += 1;
      return undefined;
    }
    return begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
  }
}
