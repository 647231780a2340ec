const BACKSLASH = 0x5c;
const [U, UPPER_D, LOWER_D] = [...'uDd'].map((character) => character.charCodeAt(0));
/** Bytes of an escape like `\\ud83d`. */
export const UNIT_ESCAPE = 6;
const SHORT_ESCAPE = 2;

/** Bytes of the JSON escape at a backslash, both of a surrogate pair together; 0 for half of one. */
export function escapeLength(json: Uint8Array, at: number): number {
  if (json[at + 1] !== U) return SHORT_ESCAPE;
  switch (surrogateAt(json, at)) {
    case 'high':
      return surrogateAt(json, at + UNIT_ESCAPE) === 'low' ? 2 * UNIT_ESCAPE : 0;
    case 'low':
      return 0;
    case null:
      return UNIT_ESCAPE;
  }
}

/** Which half of a pair a hexadecimal digit after `\\ud` is, by its character code. */
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
