const OPEN = '«';
const CLOSE = '»';

/** Ranges of code points, ends included, that count as letters in Lean's identifiers besides A–Z and a–z. */
const LETTERS: readonly (readonly [number, number])[] = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x17f],
  // Greek without λ, Π and Σ, which are syntax.
  [0x391, 0x39f],
  [0x3a1, 0x3a2],
  [0x3a4, 0x3a9],
  [0x3b1, 0x3ba],
  [0x3bc, 0x3fb],
  [0x1f00, 0x1ffe],
  [0x2100, 0x214f],
  [0x1d49c, 0x1d59f],
];

const SUBSCRIPTS: readonly (readonly [number, number])[] = [
  [0x1d62, 0x1d6a],
  [0x2080, 0x2089],
  [0x2090, 0x209c],
  [0x2c7c, 0x2c7c],
];

const FIRST = `A-Za-z_${ranges(LETTERS)}`;
const PLAIN_PART = new RegExp(`[${FIRST}][${FIRST}0-9'!?${ranges(SUBSCRIPTS)}]*`, 'uy');

function ranges(pairs: typeof LETTERS): string {
  const escaped = (point: number) => `\\u{${point.toString(16)}}`;
  return pairs.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
}

/** The offset after the dotted identifier that starts at `start`; `start` itself if none does. */
export function identifierEnd(code: string, start: number): number {
  let end = partEnd(code, start);
  while (end > start && code[end] === '.') {
    const next = partEnd(code, end + 1);
    if (next === end + 1) break;
    end = next;
  }
  return end;
}

function partEnd(code: string, start: number): number {
  if (code[start] === OPEN) {
    const close = code.indexOf(CLOSE, start);
    return close < 0 ? start : close + 1;
  }
  PLAIN_PART.lastIndex = start;
  return PLAIN_PART.test(code) ? PLAIN_PART.lastIndex : start;
}

/** The code point at `offset` as a string, empty at the end. */
export function characterAt(code: string, offset: number): string {
  const point = code.codePointAt(offset);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The components of a dotted name without their `«»`; null if `text` is not exactly one name. */
export function nameParts(text: string): readonly string[] | null {
  if (text === '' || identifierEnd(text, 0) !== text.length) return null;
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = partEnd(text, start);
    parts.push(text[start] === OPEN ? text.slice(start + 1, end - 1) : text.slice(start, end));
    start = end + 1;
  }
  return parts;
}
