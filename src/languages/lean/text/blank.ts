/** The offset of the next line feed, or the end of the code. */
export function lineCommentEnd(code: string, start: number): number {
  const end = code.indexOf('\n', start);
  return end < 0 ? code.length : end;
}

const EDGE = /\/-|-\//g;

/** The offset after the block comment that opens at `start`, nested comments included; null if it never ends. */
export function blockCommentEnd(code: string, start: number): number | null {
  // Lean reads the character after the opening as text, even if it could be part of an opening or an end.
  const edge = new RegExp(EDGE);
  edge.lastIndex = start + 3;
  let depth = 1;
  for (let found = edge.exec(code); found; found = edge.exec(code)) {
    depth += found[0] === '/-' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return null;
}

/** Which characters count as blank: those of current Lean, or those that any version of Lean 4 skips. */
export type Blanks = 'current' | 'any';

/** Current Lean refuses tabs and lone carriage returns. */
const SPACES: Readonly<Record<Blanks, RegExp>> = { current: /(?:[ \n]|\r\n)+/y, any: /[ \n\r\t]+/y };

/** The offset of the first character at or after `start` that is neither white space nor in a comment. */
export function skipBlank(code: string, start: number, blanks: Blanks): number {
  let offset = start;
  for (let next = blankEnd(code, offset, blanks); next > offset; next = blankEnd(code, offset, blanks)) offset = next;
  return offset;
}

function blankEnd(code: string, start: number, blanks: Blanks): number {
  if (code.startsWith('--', start)) return lineCommentEnd(code, start);
  if (code.startsWith('/-', start)) {
    // Doc and module comments are tokens of their own; early versions took the latter for comments.
    const isToken = blanks === 'current' && /[-!]/.test(code[start + 2] ?? '');
    return isToken ? start : (blockCommentEnd(code, start) ?? start);
  }
  const space = SPACES[blanks];
  space.lastIndex = start;
  return space.test(code) ? space.lastIndex : start;
}
