import type { Position } from '../lsp/messages.ts';

/** A position as Lean prints it: lines start at 1, columns at 0 and count code points. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** The start of a text. */
export const ORIGIN: SourcePosition = { line: 1, column: 0 };

/** A range of a caller's text. */
export interface SourceRange {
  readonly start: SourcePosition;
  readonly end: SourcePosition;
}

/** UTF-16 offsets in a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A range of a document that holds a caller's text. */
export interface Region extends TextRange {
  /** Where the range starts in the caller's own text. */
  readonly origin: SourcePosition;
}

/** The text with line ends as Lean counts them: one line feed each. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A text with its line starts; only a line feed ends a line, as in Lean. Values outside the text mean the nearest place. */
export class LineTable {
  #text: string;
  /** The offset at which each line starts. */
  readonly #starts: number[];

  constructor(text = '') {
    this.#text = text;
    this.#starts = [0, ...startsIn(text, 0)];
  }

  get text(): string {
    return this.#text;
  }

  /** Replaces the text from offset `start` to `end`; the cost grows with the lines that follow. */
  replace(start: number, end: number, text: string): void {
    const shift = text.length - (end - start);
    const following = this.#starts.slice(this.#lineOf(end) + 1);
    this.#starts.length = this.#lineOf(start) + 1;
    for (const offset of startsIn(text, start)) this.#starts.push(offset);
    for (const offset of following) this.#starts.push(offset + shift);
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

  sourcePositionAt(offset: number): SourcePosition {
    const { line, character } = this.positionAt(offset);
    const start = this.#start(line);
    return { line: line + 1, column: codePoints(this.#text, start, start + character) };
  }

  offsetAtSource({ line, column }: SourcePosition): number {
    if (line < 1) return 0;
    return forward(this.#text, this.#start(line - 1), this.#end(line - 1), column);
  }

  /** The nearest offset in the text that does not split a surrogate pair. */
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

/** The caller's position of a document offset; an offset outside the region means its nearer end. */
export function toRegionPosition(table: LineTable, region: Region, offset: number): SourcePosition {
  const first = table.sourcePositionAt(region.start);
  const { line, column } = table.sourcePositionAt(Math.min(Math.max(region.start, offset), region.end));
  return {
    line: region.origin.line + line - first.line,
    column: line === first.line ? region.origin.column + column - first.column : column,
  };
}

/** The document offset of a caller's position, clamped to the region. */
export function toDocumentOffset(table: LineTable, region: Region, { line, column }: SourcePosition): number {
  const first = table.sourcePositionAt(region.start);
  const isFirst = line === region.origin.line;
  const offset = table.offsetAtSource({
    line: first.line + line - region.origin.line,
    column: isFirst ? first.column + column - region.origin.column : column,
  });
  return Math.min(Math.max(region.start, offset), region.end);
}
