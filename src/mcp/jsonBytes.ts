/** \b, \t, \n, \f, \r, the quote and the backslash. */
const SHORT_ESCAPES = [8, 9, 10, 12, 13, 34, 92];
const PAIR_BYTES = 4;
const HALF_BYTES = 6;

/** Bytes of a value as JSON in UTF-8; 0 for undefined. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** How many UTF-16 units of `text` have at most `bytes` bytes as JSON, quotes included; never half of a pair. */
export function unitsWithin(text: string, bytes: number): number {
  let left = bytes - 2;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    left -= bytesOf(code);
    if (left < 0) return at;
    at += code > 0xffff ? 2 : 1;
  }
  return text.length;
}

function bytesOf(code: number): number {
  if (SHORT_ESCAPES.includes(code)) return 2;
  if (code < 0x80) return code < 0x20 ? 6 : 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return PAIR_BYTES;
  return code >= 0xd800 && code <= 0xdfff ? HALF_BYTES : 3;
}
