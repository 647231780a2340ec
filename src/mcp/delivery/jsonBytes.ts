/** \b, \t, \n, \f, \r, the quote and the backslash. */
const ESCAPED = [8, 9, 10, 12, 13, 34, 92];
const MOST_BYTES = 6;
/** Bytes of each UTF-16 unit as `JSON.stringify` writes it, in UTF-8; 0 for halves of surrogate pairs. */
const UNIT_BYTES = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  if (ESCAPED.includes(code)) return 2;
  if (code < 0x80) return code < 0x20 ? MOST_BYTES : 1;
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? 0 : 3;
});

/** Bytes of a value as JSON in UTF-8, without writing it; 0 for undefined. */
export function jsonBytes(value: unknown): number {
  return bytesOf(value, exactBytes);
}

/** Whether a value has at most so many bytes as JSON in UTF-8. */
export function fitsInto(value: unknown, bytes: number): boolean {
  // Most values are far smaller than any bound, and then nobody has to look at each character.
  return bytesOf(value, (text) => 2 + text.length * MOST_BYTES) <= bytes || jsonBytes(value) <= bytes;
}

/** How many UTF-16 units of `text` have at most `bytes` bytes as JSON, quotes included; never half of a pair. */
export function unitsWithin(text: string, bytes: number): number {
  return measure(text, bytes).units;
}

function exactBytes(text: string): number {
  return measure(text, Number.MAX_SAFE_INTEGER).bytes;
}

function measure(text: string, limit: number): { readonly units: number; readonly bytes: number } {
  let bytes = 2;
  for (let at = 0; at < text.length; ) {
    const size = UNIT_BYTES[text.charCodeAt(at)] ?? 0;
    const isPair = size === 0 && (text.codePointAt(at) ?? 0) > 0xffff;
    const next = bytes + (size || (isPair ? 4 : MOST_BYTES));
    if (next > limit) return { units: at, bytes };
    bytes = next;
    at += isPair ? 2 : 1;
  }
  return { units: text.length, bytes };
}

function bytesOf(value: unknown, textBytes: (text: string) => number): number {
  if (typeof value === 'string') return textBytes(value);
  if (value === undefined) return 0;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let bytes = 2;
  let parts = 0;
  for (const [name, part] of Object.entries(value)) {
    const size = bytesOf(part, textBytes);
    if (size === 0) continue;
    bytes += size + (Array.isArray(value) ? 0 : textBytes(name) + 1);
    parts += 1;
  }
  return bytes + Math.max(0, parts - 1);
}
