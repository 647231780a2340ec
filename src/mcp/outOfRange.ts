/** Characters of a place that are told. */
const MAX_PLACE = 200;

/**
 * The place of a number in an object that no double holds, as in `state.a[2]`, or null when there is none. JSON's parser
 * makes an infinity of it, and its writer would make null of that. The object has as few levels as a message may have.
 */
export function outOfRange(value: object): string | null {
  const place = keysTo(value)?.join('').slice(1);
  if (place === undefined) return null;
  return place.length > MAX_PLACE ? `${place.slice(0, MAX_PLACE)}…` : place;
}

/** The keys on the way to such a number. Nothing is allocated for what is in range: that may be 100,000 values. */
function keysTo(value: object): string[] | null {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const keys = keysInto(value[at]);
      if (keys) return [`[${at}]`, ...keys];
    }
    return null;
  }
  for (const name in value) {
    const keys = keysInto((value as Record<string, unknown>)[name]);
    if (keys) return [`.${name}`, ...keys];
  }
  return null;
}

function keysInto(part: unknown): string[] | null {
  if (typeof part === 'number') return Number.isFinite(part) ? null : [];
  return typeof part === 'object' && part !== null ? keysTo(part) : null;
}
