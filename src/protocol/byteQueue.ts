/** Bytes that arrive in pieces and are taken from the front. Pieces are joined only when something needs them as one. */
export class ByteQueue {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Bytes from the front: at least `count` where so many wait, else all; they stay. */
  peek(count: number): Buffer {
    const [first] = this.#chunks;
    return first && first.length >= count ? first : this.#joined(count);
  }

  /** All bytes that wait; they stay. */
  all(): Buffer {
    return this.#joined(this.#length);
  }

  /** Takes `count` bytes, of which so many wait. */
  take(count: number): Buffer {
    const bytes = this.peek(count);
    if (bytes.length > count) this.#chunks[0] = bytes.subarray(count);
    else this.#chunks.shift();
    this.#length -= count;
    return bytes.subarray(0, count);
  }

  /** Takes what is there into `target` from its offset on, at most to its end; nothing is joined. How many bytes it was. */
  takeInto(target: Buffer, offset: number): number {
    let at = offset;
    for (let [first] = this.#chunks; first && at < target.length; [first] = this.#chunks) {
      const count = first.copy(target, at);
      if (count < first.length) this.#chunks[0] = first.subarray(count);
      else this.#chunks.shift();
      this.#length -= count;
      at += count;
    }
    return at - offset;
  }

  /** Joins as many pieces as `count` bytes need, and no more: there may be many behind them. */
  #joined(count: number): Buffer {
    let pieces = 0;
    for (let bytes = 0; bytes < count && pieces < this.#chunks.length; pieces += 1) {
      bytes += this.#chunks[pieces]?.length ?? 0;
    }
    if (pieces > 1) this.#chunks.splice(0, pieces, Buffer.concat(this.#chunks.slice(0, pieces)));
    return this.#chunks[0] ?? Buffer.alloc(0);
  }
}
