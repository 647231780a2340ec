/** Levels of arrays and objects that an event may have; what shows and stores it follows them by recursion. */
export const MAX_DEPTH = 100;
/**
 * Values that an event may have, each member of an object counted as three: a parser takes so much longer for a key.
 * Parsing so many takes at most about 30 ms on a slow core.
 */
export const MAX_VALUES = 100_000;
const KEY_VALUES = 2;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,:[]{}'].map((character) =>
  character.charCodeAt(0),
);

/**
 * Whether a line of JSON keeps within these bounds, told without parsing it: a small text can hold millions of values,
 * or be nested a million levels deep. Nor may it have half of a surrogate pair, which no UTF-8 can carry. A line that is
 * no JSON may get either answer.
 */
export function isWithinShape(json: Uint8Array): boolean {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) {
        const length = escapeLength(json, at);
        if (length === 0) return false;
        at += length - 1;
      } else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) values += KEY_VALUES;
    else if (byte === OPEN || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (byte === CLOSE || byte === CLOSE_OBJECT) depth -= 1;
    if (values > MAX_VALUES) return false;
  }
  return true;
}

const [U, UPPER_D, LOWER_D] = [...'uDd'].map((character) => character.charCodeAt(0));
/** Bytes of `\\ud83d`. */
const UNIT_ESCAPE = 6;

/** Bytes of the escape at a backslash, both of a surrogate pair together; 0 for half of one. */
function escapeLength(json: Uint8Array, at: number): number {
  switch (surrogateAt(json, at)) {
    case 'high':
      return surrogateAt(json, at + UNIT_ESCAPE) === 'low' ? 2 * UNIT_ESCAPE : 0;
    case 'low':
      return 0;
    case null:
      return 2;
  }
}

/** Which half of a pair a hexadecimal digit behind `\\ud` tells, by its character code. */
const HALVES: readonly ('high' | 'low' | null)[] = Array.from({ length: 256 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  if (digit >= 0xc) return 'low';
  return digit >= 8 ? 'high' : null;
});

/** Which half the escape at a place is, if it is one. */
function surrogateAt(json: Uint8Array, at: number): 'high' | 'low' | null {
  if (json[at + 1] !== U || json[at] !== BACKSLASH) return null;
  if (json[at + 2] !== LOWER_D && json[at + 2] !== UPPER_D) return null;
  return HALVES[json[at + 3] ?? 0] ?? null;
}
