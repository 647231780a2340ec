/** A value as JSON. The control bytes that JSON allows are escaped, for it may be read on a screen. */
export function escapedJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(/[\x7f-\x9f]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);
}
