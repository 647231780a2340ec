/** Levels of arrays and objects that an event may have; what shows and stores it follows them by recursion. */
export const MAX_DEPTH = 100;
/** Values, keys not counted, that an event may have: parsing so many takes at most about 30 ms on a slow core. */
export const MAX_VALUES = 100_000;

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map((character) =>
  character.charCodeAt(0),
);

/**
 * Whether a line of JSON keeps within these bounds, told without parsing it: a small text can hold millions of values,
 * or be nested a million levels deep. A line that is no JSON may get either answer.
 */
export function isWithinShape(json: Uint8Array): boolean {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (byte === CLOSE || byte === CLOSE_OBJECT) depth -= 1;
    if (values > MAX_VALUES) return false;
  }
  return true;
}
