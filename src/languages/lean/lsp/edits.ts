import type { LineTable } from '../text/position.ts';
import type { Range } from './messages.ts';

/** Replaces what is between two UTF-16 offsets of a text. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A change of a document as the protocol has it. */
export interface ContentChange {
  readonly range: Range;
  readonly text: string;
}

/** Makes the edit and tells it as a change of the text before it. Throws `RangeError`, and then nothing has changed. */
export function applyEdit(table: LineTable, { from, to, text }: Edit): ContentChange {
  if (from > to || !isPlace(table.text, from) || !isPlace(table.text, to))
    throw new RangeError(`an edit from ${from} to ${to} of a text of ${table.text.length}`);
  refuseHalves(text);
  const range = { start: table.positionAt(from), end: table.positionAt(to) };
  table.replace(from, to, text);
  return { range, text };
}

/**
 * Throws `RangeError` for a text with half of a surrogate pair: a server cannot be told of it and would check another
 * text than this one.
 */
export function refuseHalves(text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError('a text with half of a surrogate pair');
}

/** Within the text and not within a surrogate pair. */
function isPlace(text: string, offset: number): boolean {
  const inside = Number.isInteger(offset) && offset >= 0 && offset <= text.length;
  return inside && !/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}
