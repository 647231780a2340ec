import { PythonEvent } from '../../protocol/python.ts';

/** An event line of the process, or null when it is not one of this request: user code can write there too. */
export function parseEvent(line: string, token: string): PythonEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(wellFormed(line));
  } catch {
    return null;
  }
  const parsed = PythonEvent.safeParse(value);
  return parsed.success && parsed.data.token === token ? parsed.data : null;
}

const ESCAPE = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|.)/g;
const HALF = /^\\u[dD][89a-fA-F]..$/;

/** JSON without halves of surrogate pairs: no UTF-8 can carry them, and other readers of JSON refuse them. */
function wellFormed(json: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return json;
  return json.replace(ESCAPE, (unit) => (HALF.test(unit) ? '\\ufffd' : unit));
}
