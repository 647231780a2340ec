import type { Steps } from '../../../base/slices.ts';

/** Bytes that are kept of one text. */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;
/** Entries that are kept of a list under one of `LONG_LISTS`, about as many as fit into a report; the rest is skipped. */
export const MAX_ENTRIES = 10_000;
/** Keys of lists that may be long and whose users check `cut`. No verdict may depend on a list that was cut. */
const LONG_LISTS: ReadonlySet<string> = new Set(['diagnostics', 'items']);

/** A parsed value. */
export interface ParsedJson {
  readonly value: unknown;
  /** A text in it was longer than `MAX_TEXT_BYTES`, or a list longer than `MAX_ENTRIES`. */
  readonly cut: boolean;
}

/** Bytes that one step parses or decodes. */
const PIECE_BYTES = 64 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const LITERAL = /[\w.+-]*/y;
/** The length of the longest escape, in bytes. */
const ESCAPE_BYTES = 6;
/** Containers that are nested deeper than the entries of Lean's lists are parsed without looking for their end first. */
const SHALLOW = 6;

/**
 * Parses JSON in UTF-8, in steps. Throws `SyntaxError`, or `TypeError` for bytes that are not UTF-8.
 *
 * `readJson` of the base refuses what is too large before it parses anything. Lean's messages may have any depth and number
 * of values, and what is too long must be cut instead: refusing it would kill the server for the output of user code.
 */
export function* parseJson(text: Buffer): Steps<ParsedJson> {
  if (text.length > PIECE_BYTES) return yield* new JsonReader(text).read();
  return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text)), cut: false };
}

/** An array or object whose end has not been read; `key` belongs to the current member. */
type Open =
  | { readonly array: unknown[]; readonly most: number }
  | { readonly object: Record<string, unknown>; key: string };

class JsonReader {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #text: Buffer;
  #at = 0;
  #cut = false;

  constructor(text: Buffer) {
    this.#text = text;
  }

  *read(): Steps<ParsedJson> {
    const root: unknown[] = [];
    const stack: Open[] = [{ array: root, most: 1 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const entered = yield* this.#entry(top, stack.length);
      if (entered) stack.push(entered);
      else yield* this.#close(stack);
      yield;
    }
    if (this.#next() !== undefined) throw this.#unexpected();
    return { value: root[0], cut: this.#cut };
  }

  /** Reads a value as `#value` does, or skips the remaining ones if the list is full. */
  *#entry(into: Open, depth: number): Steps<Open | null> {
    if ('array' in into && into.array.length >= into.most) {
      this.#cut = true;
      yield* this.#skipRest();
      return null;
    }
    return depth <= SHALLOW && this.#small(into) ? null : yield* this.#value(into);
  }

  /** Moves to the end of the current array. Checks only the brackets and quotes of what it skips. */
  *#skipRest(): Steps {
    let depth = 0;
    for (let until = this.#at; this.#at < this.#text.length; this.#at += 1) {
      const byte = this.#text[this.#at];
      if (byte === QUOTE) this.#at = yield* this.#stringEnd(this.#at + 1);
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && depth === 0) return;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
      if (this.#at < until) continue;
      until = this.#at + PIECE_BYTES;
      yield;
    }
  }

  /** Reads an array or object of at most `PIECE_BYTES` in one step; false for anything else. */
  #small(into: Open): boolean {
    const first = this.#next();
    if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return false;
    const end = this.#endOf(this.#at, this.#at + PIECE_BYTES);
    if (end === null) return false;
    put(into, JSON.parse(this.#utf8.decode(this.#text.subarray(this.#at, end))));
    this.#at = end;
    return true;
  }

  /** The offset after the array or object that starts here; null if it does not end before `most`. */
  #endOf(start: number, most: number): number | null {
    const text = this.#text;
    let depth = 0;
    for (let at = start; at < most; at += 1) {
      const byte = text[at];
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
      else if (byte === QUOTE)
        for (at += 1; at < most && text[at] !== QUOTE; at += 1) at += text[at] === BACKSLASH ? 1 : 0;
      if (depth === 0) return at + 1;
    }
    return null;
  }

  /** Reads a value into the open container. Returns a container with members, of which only the opening is read. */
  *#value(into: Open): Steps<Open | null> {
    if (this.#take(OPEN_ARRAY)) {
      const array: unknown[] = [];
      const isLong = 'object' in into && LONG_LISTS.has(into.key);
      put(into, array);
      return this.#take(CLOSE_ARRAY) ? null : { array, most: isLong ? MAX_ENTRIES : Number.POSITIVE_INFINITY };
    }
    if (this.#take(OPEN_OBJECT)) {
      const object: Record<string, unknown> = {};
      put(into, object);
      return this.#take(CLOSE_OBJECT) ? null : { object, key: yield* this.#key() };
    }
    put(into, this.#next() === QUOTE ? yield* this.#string() : this.#literal());
    return null;
  }

  /** After a value: closes the containers that end here and moves to the next value. */
  *#close(stack: Open[]): Steps {
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (stack.length > 1 && this.#take(COMMA)) {
        if ('object' in top) top.key = yield* this.#key();
        return;
      }
      if (stack.length > 1 && !this.#take('object' in top ? CLOSE_OBJECT : CLOSE_ARRAY)) throw this.#unexpected();
      stack.pop();
    }
  }

  *#key(): Steps<string> {
    if (this.#next() !== QUOTE) throw this.#unexpected();
    const key = yield* this.#string();
    if (!this.#take(COLON)) throw this.#unexpected();
    return key;
  }

  *#string(): Steps<string> {
    const start = this.#at + 1;
    const end = yield* this.#stringEnd(start);
    this.#at = end + 1;
    const kept = end - start > MAX_TEXT_BYTES ? this.#edge(start + MAX_TEXT_BYTES, start) : end;
    if (kept < end) this.#cut = true;
    if (kept - start <= PIECE_BYTES) return this.#decoded(start, kept);
    const pieces: string[] = [];
    for (let from = start; from < kept; ) {
      const to = kept - from > PIECE_BYTES ? this.#edge(from + PIECE_BYTES, from) : kept;
      pieces.push(this.#decoded(from, to));
      from = to;
      yield;
    }
    return pieces.join('');
  }

  /** The offset of the closing quote. */
  *#stringEnd(start: number): Steps<number> {
    for (let from = start; from < this.#text.length; from += PIECE_BYTES) {
      const piece = this.#text.subarray(from, from + PIECE_BYTES);
      for (let quote = piece.indexOf(QUOTE); quote >= 0; quote = piece.indexOf(QUOTE, quote + 1)) {
        if (this.#backslashesBefore(from + quote, start) % 2 === 0) return from + quote;
      }
      yield;
    }
    throw this.#unexpected();
  }

  #backslashesBefore(offset: number, start: number): number {
    let first = offset;
    while (first > start && this.#text[first - 1] === BACKSLASH) first -= 1;
    return offset - first;
  }

  /** The nearest offset at or before this one that splits no escape and no character; `start` must be such an offset. */
  #edge(offset: number, start: number): number {
    let edge = offset;
    for (let back = 1; back < ESCAPE_BYTES; back += 1) {
      if (this.#text[offset - back] !== BACKSLASH) continue;
      const isEscape = this.#backslashesBefore(offset - back + 1, start) % 2 === 1;
      if (isEscape) edge = offset - back;
      break;
    }
    while (((this.#text[edge] ?? 0) & 0xc0) === 0x80) edge -= 1;
    return edge;
  }

  #decoded(start: number, end: number): string {
    return JSON.parse(`"${this.#utf8.decode(this.#text.subarray(start, end))}"`);
  }

  #literal(): unknown {
    const token = this.#text.toString('latin1', this.#at, this.#at + 40);
    LITERAL.lastIndex = 0;
    const [word = ''] = LITERAL.exec(token) ?? [];
    if (word === '') throw this.#unexpected();
    this.#at += word.length;
    return JSON.parse(word);
  }

  /** Skips white space. Returns the byte after it, or undefined at the end. */
  #next(): number | undefined {
    while (WHITE_SPACE.has(this.#text[this.#at])) this.#at += 1;
    return this.#text[this.#at];
  }

  #take(byte: number): boolean {
    if (this.#next() !== byte) return false;
    this.#at += 1;
    return true;
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`not JSON at byte ${this.#at}`);
  }
}

function put(into: Open, value: unknown): void {
  if ('array' in into) into.array.push(value);
  // Assigning this key would set the prototype, and no message uses it.
  else if (into.key !== '__proto__') into.object[into.key] = value;
}
