/** A value as JSON, with the control bytes that JSON allows escaped, so that a terminal can show it. */
export function escapedJson(value: unknown, indent = 0): string {
  return escapedControls(JSON.stringify(value, null, indent));
}

/** JSON, or a piece of it, with the control bytes that JSON allows escaped. */
export function escapedControls(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);
}
