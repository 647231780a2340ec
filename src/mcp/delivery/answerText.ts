import type { Steps } from '../../base/slices.ts';
import { textBytes } from './jsonBytes.ts';
import { readableText } from './readableText.ts';

/** Bytes as JSON of an answer's text. */
export const MAX_TEXT_BYTES = 1.5 * 1024 * 1024;
/** Of a text that is too long the end is kept too: it says how a run ended. */
const TAIL_UNITS = 8192;
const MOST_BYTES_OF_UNIT = 6;
/** Units that are made readable at a time: of a text that is too long most are never looked at. */
const PIECE_UNITS = 65_536;

/** A text as an answer carries it: readable, and with its middle left out when it is too long. */
export function* answerText(text: string): Steps<string> {
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

/** Where a line ends, if one does, so that no control sequence is in two pieces. */
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
