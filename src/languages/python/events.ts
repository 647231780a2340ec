import { PythonEvent } from '../../protocol/python.ts';

/** An event line of the process, or null when it is not one of this request: user code can write there too. */
export function parseEvent(line: string, token: string): PythonEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = PythonEvent.safeParse(value);
  return parsed.success && parsed.data.token === token ? parsed.data : null;
}
