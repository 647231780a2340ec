const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
/** Bytes kept of a name or a value; no client's id is longer. */
const MAX_PIECE = 256;

/** Finds the id of a JSON-RPC message that arrives in chunks, without keeping the message. */
export class TopLevelId {
  /** Null until an id is found. */
  id: string | number | null = null;
  #depth = 0;
  #string: 'none' | 'open' | 'escape' = 'none';
  #name: unknown;
  /** The bytes since the last name or value at the top level. */
  #piece: number[] = [];

  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1) this.#step(bytes[at] ?? 0);
  }

  #step(byte: number): void {
    if (this.#string !== 'none') this.#stepInString(byte);
    else if (OPENING.includes(byte)) this.#depth += 1;
    else if (CLOSING.includes(byte)) this.#close();
    else if (this.#depth !== 1) this.#string = byte === QUOTE ? 'open' : 'none';
    else if (byte === COLON) this.#name = this.#endPiece();
    else if (byte === COMMA) this.#endValue();
    else {
      if (byte === QUOTE) this.#string = 'open';
      this.#keep(byte);
    }
  }

  #stepInString(byte: number): void {
    if (this.#depth === 1) this.#keep(byte);
    if (this.#string === 'escape') this.#string = 'open';
    else if (byte === BACKSLASH) this.#string = 'escape';
    else if (byte === QUOTE) this.#string = 'none';
  }

  #keep(byte: number): void {
    if (this.#piece.length < MAX_PIECE) this.#piece.push(byte);
  }

  #close(): void {
    if (this.#depth === 1) this.#endValue();
    this.#depth -= 1;
  }

  #endValue(): void {
    const value = this.#endPiece();
    if (this.#name === 'id' && isId(value)) this.id = value;
    this.#name = undefined;
  }

  #endPiece(): unknown {
    const text = Buffer.from(this.#piece).toString('utf8');
    this.#piece = [];
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
