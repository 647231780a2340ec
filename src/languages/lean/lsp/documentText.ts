import { LineTable } from '../text/position.ts';
import type { Range } from './messages.ts';

/** Replaces the text between two UTF-16 offsets. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** An edit in the protocol's form. */
interface ContentChange {
  readonly range: Range;
  readonly text: string;
}

/** The text of a document, for edits that a server can follow. */
export class DocumentText {
  #table: LineTable;

  /** Throws `RangeError` for a text with half of a surrogate pair. */
  constructor(text: string) {
    refuseLoneSurrogates(text);
    this.#table = new LineTable(text);
  }

  /** The lines of the text, for reading only. */
  get table(): LineTable {
    return this.#table;
  }

  /**
   * Applies the edits in order, each to the result of the one before. Throws `RangeError` for an offset outside the text or
   * within a surrogate pair; the text is then unchanged.
   */
  apply(edits: readonly Edit[]): ContentChange[] {
    const before = this.#table.text;
    try {
      return edits.map((edit) => applyEdit(this.#table, edit));
    } catch (error) {
      this.#table = new LineTable(before);
      throw error;
    }
  }
}

/** Applies the edit and returns it as a change of the text before it. Throws `RangeError` and changes nothing if invalid. */
function applyEdit(table: LineTable, { from, to, text }: Edit): ContentChange {
  if (from > to || !isEditable(table.text, from) || !isEditable(table.text, to))
    throw new RangeError(`an edit from ${from} to ${to} of a text of ${table.text.length}`);
  refuseLoneSurrogates(text);
  const range = { start: table.positionAt(from), end: table.positionAt(to) };
  table.replace(from, to, text);
  return { range, text };
}

/** Throws `RangeError` for half of a surrogate pair: UTF-8 cannot carry it, so the server would check a different text. */
function refuseLoneSurrogates(text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError('a text with half of a surrogate pair');
}

/** Whether the offset is within the text and not within a surrogate pair. */
function isEditable(text: string, offset: number): boolean {
  const isInside = Number.isInteger(offset) && offset >= 0 && offset <= text.length;
  return isInside && !/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}
