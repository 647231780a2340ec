/** Characters of a path in a message. */
const MAX_PLACE = 200;

/**
 * The path of a number that no double can hold, as in `state.a[2]`, or null. The JSON parser turns such a number into
 * Infinity, and the JSON writer would turn Infinity into null. The nesting is bounded by `parseMessage`.
 */
export function outOfRange(value: object): string | null {
  const place = keysTo(value)?.join('').slice(1);
  return place === undefined ? null : shortPlace(place);
}

/** A path as messages show it: a client chooses how long its names are. */
export function shortPlace(place: string): string {
  return place.length > MAX_PLACE ? `${place.slice(0, MAX_PLACE)}…` : place;
}

/** The keys on the way to such a number. Allocates nothing for numbers in range: there may be 100,000. */
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
