import { isAscii } from 'node:buffer';
import { PythonEvent } from '../../protocol/python.ts';
import { isWithinShape } from './eventShape.ts';

/** Beyond ASCII, decoding takes ten times as long. Drivers write ASCII alone, of any length that an event may have. */
const MAX_DECODED_BYTES = 1 << 20;

/**
 * An event line of the process. null when it is not one of this request: user code can write there too. `refused` when it
 * is larger or deeper than can be taken, has half of a surrogate pair, or has nothing that can be shown.
 */
export function parseEvent(line: Buffer, token: string): PythonEvent | 'refused' | null {
  const text = isWithinShape(line) ? textOf(line) : null;
  if (text === null) return 'refused';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = PythonEvent.safeParse(value);
  if (!parsed.success) return null;
  const { data: event } = parsed;
  if (event.token !== token) return null;
  return 'data' in event && Object.keys(event.data).length === 0 ? 'refused' : event;
}

function textOf(line: Buffer): string | null {
  if (isAscii(line)) return line.toString('latin1');
  return line.length > MAX_DECODED_BYTES ? null : line.toString('utf8');
}
