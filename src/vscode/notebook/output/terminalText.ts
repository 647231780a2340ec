/** UTF-16 units at the end of a text that control characters can still change. */
const REACH = 1 << 16;

/** How a written text changes what is shown: it is added at the end, or everything is different. */
export type TextChange = 'appended' | 'replaced';

const CONTROL = /[\r\b]|\x1b\[\d*[ABK]/;
const TOKENS = /[\r\n\b]|\x1b\[[\d;?]*[@-~]|\x1b|[^\r\n\b\x1b]+/g;
const UNFINISHED = /(?:\r|\x1b(?:\[[\d;?]{0,16})?)$/;

/**
 * The text of a stream as a terminal shows it: carriage returns, backspaces, and the sequences that move the cursor up
 * and down and erase a line change what was written before, as progress bars do. Colors stay in the text.
 */
export class TerminalText {
  #text = '';
  /** The lines that can change, while the cursor is not at the end. */
  #cursor: Cursor | null = null;
  /** The beginning of a sequence, whose end has not come. */
  #unfinished = '';
  /** What the last write added. */
  #added = '';

  get text(): string {
    return this.#text;
  }

  /** What the last write added, when it only added. */
  get added(): string {
    return this.#added;
  }

  write(written: string): TextChange {
    const all = (this.#unfinished + written).replaceAll('\r\n', '\n');
    this.#unfinished = UNFINISHED.exec(all)?.[0] ?? '';
    const text = all.slice(0, all.length - this.#unfinished.length);
    if (!this.#cursor && !CONTROL.test(text)) return this.#append(text);
    const start = this.#startOfReach();
    const cursor = this.#cursor ?? new Cursor(this.#text.slice(start));
    cursor.write(text);
    this.#text = this.#text.slice(0, start) + cursor.text;
    this.#cursor = cursor.isAtEnd ? null : cursor;
    return 'replaced';
  }

  /** Gives away the text that can no longer change; the rest stays. */
  takeSettled(): string {
    const start = this.#startOfReach();
    const settled = this.#text.slice(0, start);
    this.#text = this.#text.slice(start);
    return settled;
  }

  #append(text: string): TextChange {
    this.#text += text;
    this.#added = text;
    return 'appended';
  }

  /** The first line that can change; a longer line only in part. */
  #startOfReach(): number {
    if (this.#cursor) return this.#text.length - this.#cursor.text.length;
    const least = this.#text.length - REACH;
    if (least <= 0) return 0;
    const lineEnd = this.#text.indexOf('\n', least);
    return lineEnd < 0 ? least : lineEnd + 1;
  }
}

/** A cursor on lines of characters; colors belong to the character before them, at the start of a line to the next. */
class Cursor {
  readonly #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #color = '';

  constructor(text: string) {
    this.write(text);
  }

  get text(): string {
    return this.#lines.map((line) => line.join('')).join('\n');
  }

  get isAtEnd(): boolean {
    return this.#row === this.#lines.length - 1 && this.#column === this.#line.length && this.#color === '';
  }

  write(text: string): void {
    for (const [token] of text.matchAll(TOKENS)) this.#take(token);
  }

  #take(token: string): void {
    if (token === '\n') this.#toNextLine();
    else if (token === '\r') this.#column = 0;
    else if (token === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (token.startsWith('\x1b')) this.#control(token);
    else this.#put(token);
  }

  get #line(): string[] {
    return this.#lines[this.#row] ?? [];
  }

  #toNextLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#lines.length) this.#lines.push([]);
  }

  #control(sequence: string): void {
    const count = Number(sequence.slice(2, -1)) || 1;
    switch (sequence.at(-1)) {
      case 'A':
        this.#row = Math.max(0, this.#row - count);
        break;
      case 'B':
        this.#row = Math.min(this.#lines.length - 1, this.#row + count);
        break;
      case 'K':
        this.#line.length = sequence === '\x1b[2K' ? 0 : Math.min(this.#line.length, this.#column);
        break;
      case 'm':
        this.#paint(sequence);
        break;
      // Others have no meaning in a notebook.
    }
  }

  #paint(color: string): void {
    const before = this.#line[this.#column - 1];
    if (before === undefined) this.#color += color;
    else this.#line[this.#column - 1] = before + color;
  }

  #put(text: string): void {
    const line = this.#line;
    while (line.length < this.#column) line.push(' ');
    for (const character of text) {
      line[this.#column] = this.#color + character;
      this.#color = '';
      this.#column += 1;
    }
  }
}
