/** Bytes that arrive in pieces and are taken from the front. Pieces are joined only when something needs them as one. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Bytes from the front, `count` or more where so many wait; they stay. */
  peek(count: number): Buffer {
    const [first] = this.#chunks;
    return first && first.length >= count ? first : this.all();
  }

  /** All bytes that wait; they stay. */
  all(): Buffer {
    const [only] = this.#chunks;
    if (only && this.#chunks.length === 1) return only;
    const joined = Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [joined];
    return joined;
  }

  /** Takes `count` bytes, of which so many wait. */
  take(count: number): Buffer {
    const bytes = this.all();
    const rest = bytes.subarray(count);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return bytes.subarray(0, count);
  }
}
