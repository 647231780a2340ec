interface Place {
  readonly value: object;
  /** As in `.a` or `[2]`. */
  readonly key: string;
  readonly inside: Place | null;
}

/** Characters of a place that are told. */
const MAX_PLACE = 200;

/**
 * The place of a number in an object that no double holds, as in `state.a[2]`, or null when there is none. JSON's parser
 * makes an infinity of it, and its writer would make null of that.
 */
export function outOfRange(value: object): string | null {
  const open: Place[] = [{ value, key: '', inside: null }];
  // Without recursion: how deep a value is nested is its sender's choice.
  for (let place = open.pop(); place; place = open.pop()) {
    for (const [name, part] of Object.entries(place.value)) {
      const key = Array.isArray(place.value) ? `[${name}]` : `.${name}`;
      if (typeof part === 'number' && !Number.isFinite(part))
        return placeText({ value: place.value, key, inside: place });
      if (typeof part === 'object' && part !== null) open.push({ value: part, key, inside: place });
    }
  }
  return null;
}

function placeText(place: Place): string {
  const keys: string[] = [];
  for (let at: Place | null = place; at; at = at.inside) keys.push(at.key);
  const text = keys.reverse().join('').slice(1);
  return text.length > MAX_PLACE ? `${text.slice(0, MAX_PLACE)}…` : text;
}
