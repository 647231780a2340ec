import type { Steps } from '../../base/slices.ts';

/** UTF-16 units of a text measured in one step. */
const PIECE_UNITS = 64 * 1024;
/** Work in one step, in UTF-16 units; each value counts as `VALUE_UNITS`. */
const STEP_UNITS = 256 * 1024;
const VALUE_UNITS = 64;
const MOST_BYTES_OF_UNIT = 6;
const QUOTES = 2;
/** Text with one byte per unit and no escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;
const SHORT_UNITS = 256;

/** Bytes of a value as JSON in UTF-8, without building the JSON; 0 for undefined. */
export function* jsonBytes(value: unknown): Steps<number> {
  return yield* new Meter(textBytes).measure(value);
}

/** An upper bound of `jsonBytes`, in a fraction of its time. */
export function* mostJsonBytes(value: unknown): Steps<number> {
  return yield* new Meter((text) => QUOTES + text.length * MOST_BYTES_OF_UNIT).measure(value);
}

/** Bytes of a text as JSON in UTF-8, quotes included. */
export function textBytes(text: string): number {
  if (text.length <= SHORT_UNITS && PLAIN.test(text)) return QUOTES + text.length;
  // For a long text JSON.stringify takes a fraction of the time of a loop over its units.
  return Buffer.byteLength(JSON.stringify(text));
}

/** How many UTF-16 units of `text` fit in `bytes` bytes as JSON, quotes included. Never splits a surrogate pair. */
export function unitsWithin(text: string, bytes: number): number {
  let left = bytes - QUOTES;
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, endOfPiece(text, at));
    const size = textBytes(piece) - QUOTES;
    if (size > left) return at + unitsOfPiece(piece, left);
    left -= size;
    at += piece.length;
  }
  return text.length;
}

function unitsOfPiece(piece: string, bytes: number): number {
  let [units, left] = [0, bytes];
  for (const character of piece) {
    left -= textBytes(character) - QUOTES;
    if (left < 0) break;
    units += character.length;
  }
  return units;
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_UNITS;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

class Meter {
  readonly #textBytes: (text: string) => number;
  #units = 0;

  constructor(bytesOfText: (text: string) => number) {
    this.#textBytes = bytesOfText;
  }

  *measure(value: unknown): Steps<number> {
    if (typeof value === 'string') return yield* this.#text(value);
    if (typeof value !== 'object' || value === null) return value === undefined ? 0 : String(value).length;
    const names = Array.isArray(value) ? null : Object.keys(value);
    const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    let bytes = 2;
    let parts = 0;
    for (const [at, part] of items.entries()) {
      const size = this.#small(part) ?? (yield* this.measure(part));
      const name = names?.[at];
      if (size > 0) {
        bytes += size + (name === undefined ? 0 : this.#textBytes(name) + 1);
        parts += 1;
      }
      this.#units += VALUE_UNITS + (name?.length ?? 0);
      if (this.#units < STEP_UNITS) continue;
      this.#units = 0;
      yield;
    }
    return bytes + Math.max(0, parts - 1);
  }

  /** Bytes of a small value, without a generator: one for each number and word would cost more than the work. */
  #small(value: unknown): number | undefined {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value).length;
    if (typeof value !== 'string' || value.length > PIECE_UNITS) return undefined;
    this.#units += value.length;
    return this.#textBytes(value);
  }

  *#text(text: string): Steps<number> {
    let bytes = QUOTES;
    for (let at = 0; at < text.length; ) {
      const end = endOfPiece(text, at);
      bytes += this.#textBytes(text.slice(at, end)) - QUOTES;
      at = end;
      yield;
    }
    return bytes;
  }
}
