import type { JsonLimits } from '../../base/jsonOutline.ts';
import { readJson } from '../../base/readJson.ts';
import type { Steps } from '../../base/slices.ts';
import { InterpreterEvent } from '../../protocol/interpreter.ts';

/**
 * Bounds of an event, since displaying and storing it recurses into its levels. The agent has the same bounds
 * (`images/agent/hothouse_agent/jsonshape.py`), so that an honest run names what it omits.
 */
const LIMITS: JsonLimits = {
  depth: 100,
  values: 100_000,
  topMembers: Number.POSITIVE_INFINITY,
  loneSurrogates: false,
};

/**
 * An event line of the process. null when it is not one of this request: user code can write there too. `refused` when
 * it is not JSON, is larger or deeper than the limits, has half of a surrogate pair, or has nothing to show.
 */
export function* parseEvent(line: Buffer, token: string): Steps<InterpreterEvent | 'refused' | null> {
  const read = yield* readJson(line, LIMITS);
  if (read.kind === 'invalid') return 'refused';
  const parsed = InterpreterEvent.safeParse(read.value);
  if (!parsed.success) return null;
  const { data: event } = parsed;
  if (event.token !== token) return null;
  return 'data' in event && Object.keys(event.data).length === 0 ? 'refused' : event;
}
