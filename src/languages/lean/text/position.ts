import type { Position } from '../lsp/messages.ts';

/** A place as Lean prints it: line from 1, column from 0 in code points. */
export interface Spot {
  readonly line: number;
  readonly column: number;
}

/** Where a text begins. */
export const ORIGIN: Spot = { line: 1, column: 0 };

/** A text with its lines; only a line feed ends one, as in Lean. Values outside the text mean its nearest place. */
export class LineTable {
  #text: string;
  /** The offset at which each line begins. */
  readonly #starts: number[];

  constructor(text = '') {
    this.#text = text;
    this.#starts = [0, ...startsIn(text, 0)];
  }

  get text(): string {
    return this.#text;
  }

  /** Puts `text` in the place of the offsets from `start` to `end`; costs what follows, which at the end is nothing. */
  replace(start: number, end: number, text: string): void {
    const shift = text.length - (end - start);
    const behind = this.#starts.slice(this.#lineOf(end) + 1);
    this.#starts.length = this.#lineOf(start) + 1;
    for (const offset of startsIn(text, start)) this.#starts.push(offset);
    for (const offset of behind) this.#starts.push(offset + shift);
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
  }

  positionAt(offset: number): Position {
    const place = this.#snap(offset);
    const line = this.#lineOf(place);
    return { line, character: place - this.#start(line) };
  }

  offsetAt({ line, character }: Position): number {
    if (line < 0) return 0;
    return this.#snap(Math.min(this.#start(line) + Math.max(0, character), this.#end(line)));
  }

  spotAt(offset: number): Spot {
    const { line, character } = this.positionAt(offset);
    const start = this.#start(line);
    return { line: line + 1, column: codePoints(this.#text, start, start + character) };
  }

  offsetOf({ line, column }: Spot): number {
    if (line < 1) return 0;
    return forward(this.#text, this.#start(line - 1), this.#end(line - 1), column);
  }

  /** In the text, and not between the halves of a surrogate pair. */
  #snap(offset: number): number {
    const inside = Math.min(Math.max(0, offset), this.#text.length);
    return splitsPair(this.#text, inside) ? inside - 1 : inside;
  }

  #start(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** Before the line feed; a carriage return there belongs to the line. */
  #end(line: number): number {
    const next = this.#starts[line + 1];
    return next === undefined ? this.#text.length : next - 1;
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#start(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function* startsIn(text: string, base: number): Generator<number> {
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) yield base + feed + 1;
}

function splitsPair(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

function codePoints(text: string, start: number, end: number): number {
  let count = 0;
  for (let offset = start; offset < end; offset += splitsPair(text, offset + 1) ? 2 : 1) count += 1;
  return count;
}

function forward(text: string, start: number, end: number, count: number): number {
  let offset = start;
  for (let left = count; left > 0 && offset < end; left -= 1) offset += splitsPair(text, offset + 1) ? 2 : 1;
  return offset;
}

/** A stretch of a document that came from a caller. */
export interface Part {
  /** Offsets in the document. */
  readonly start: number;
  readonly end: number;
  /** Where the stretch begins in the caller's own text. */
  readonly origin: Spot;
}

/** The caller's coordinates of a place in the document; places outside the part mean its nearer end. */
export function spotInPart(table: LineTable, part: Part, offset: number): Spot {
  const first = table.spotAt(part.start);
  const { line, column } = table.spotAt(Math.min(Math.max(part.start, offset), part.end));
  return {
    line: part.origin.line + line - first.line,
    column: line === first.line ? part.origin.column + column - first.column : column,
  };
}

/** The document's offset of a place in the caller's coordinates, within the part. */
export function offsetInPart(table: LineTable, part: Part, { line, column }: Spot): number {
  const first = table.spotAt(part.start);
  const isFirst = line === part.origin.line;
  const offset = table.offsetOf({
    line: first.line + line - part.origin.line,
    column: isFirst ? first.column + column - part.origin.column : column,
  });
  return Math.min(Math.max(part.start, offset), part.end);
}
