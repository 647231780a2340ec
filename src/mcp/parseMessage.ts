/** Levels of lists and objects that a message may have; Python's own reader of JSON ends at a thousand. */
const MAX_DEPTH = 500;

/** What a client has sent, or why it cannot be read. */
export type Parsed =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Parses what a client has sent as JSON. */
export function parseMessage(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value)
      ? { kind: 'invalid', reason: `It has more than ${MAX_DEPTH} levels.` }
      : { kind: 'json', value };
  } catch {
    return { kind: 'invalid', reason: 'It is not JSON.' };
  }
}

/** Looked at level by level: how deep a value is nested is its sender's choice. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
