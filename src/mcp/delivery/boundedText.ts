import type { Steps } from '../../base/slices.ts';
import { textBytes } from './jsonBytes.ts';
import { readableText } from './readableText.ts';

/** Bytes of a result's text as JSON. */
export const MAX_TEXT_BYTES = 1.5 * 1024 * 1024;
/** UTF-16 units kept of the end of a text that is too long: it shows how a run ended. */
const TAIL_UNITS = 8192;
const MOST_BYTES_OF_UNIT = 6;
/** Units processed in one step. Most of a text that is too long is never processed. */
const PIECE_UNITS = 65_536;

/** A text for a result: without control characters, and without its middle when it is too long. */
export function* boundedText(text: string): Steps<string> {
  const pieces: string[] = [];
  let left = MAX_TEXT_BYTES - TAIL_UNITS * MOST_BYTES_OF_UNIT;
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at);
    const piece = readableText(text.slice(at, end));
    left -= textBytes(piece);
    if (left < 0) return pieces.concat(withoutMiddle(text, at)).join('');
    pieces.push(piece);
    at = end;
    yield;
  }
  return pieces.join('');
}

/** The end of the piece: after a newline where possible, so that no control sequence is split. */
function endOfPiece(text: string, from: number): number {
  if (from + PIECE_UNITS >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', from + PIECE_UNITS - 1);
  return lineEnd < from ? from + PIECE_UNITS : lineEnd + 1;
}

function withoutMiddle(text: string, from: number): string[] {
  const last = text.slice(Math.max(from, text.length - TAIL_UNITS));
  const tail = readableText(last.slice(last.indexOf('\n') + 1).toWellFormed());
  return [`\n[${text.length - from - last.length} characters are left out here]\n`, tail];
}
