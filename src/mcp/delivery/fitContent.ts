import type { Steps } from '../../base/slices.ts';
import { type Cut, cutTree, type Path } from './cutTree.ts';
import { jsonBytes, mostJsonBytes, textBytes, unitsWithin } from './jsonBytes.ts';

/** Structured content of a result. */
export type Content = Readonly<Record<string, unknown>>;

/** Content that fits, and the paths of its cuts, as in `displays[3].texts.text/html`. */
export interface Fitted {
  readonly content: Content;
  readonly places: ReadonlySet<string>;
  /** An upper bound of its bytes as JSON. */
  readonly mostBytes: number;
}

/** Bytes as JSON that every text keeps at least, however many texts there are. */
const LEAST_TEXT_BYTES = 1024;
/** Reserve for the suffix `[N more characters]`. */
const WORD_BYTES = 40;

/**
 * Structured content of at most `maxBytes` as JSON. Texts are cut first, the longest ones to one length; then lists lose
 * their last items, innermost lists first. `state` is complete, or absent when it takes more than half of the space: a part
 * of a variable would be a wrong value.
 */
export function* fitContent(content: Content, maxBytes: number): Steps<Fitted> {
  const places = new Set<string>();
  // Most content is far below the limit, and an upper bound is enough.
  const mostBytes = yield* mostJsonBytes(content);
  if (mostBytes <= maxBytes) return { content, places, mostBytes };
  if ((yield* jsonBytes(content)) <= maxBytes) return { content, places, mostBytes: maxBytes };
  const { state, ...others } = content;
  const stateBytes = yield* jsonBytes(state);
  if (stateBytes <= maxBytes / 2) {
    const parts = yield* cutParts(others, maxBytes - stateBytes, places);
    return { content: { ...content, ...parts }, places, mostBytes: maxBytes };
  }
  places.add('state');
  const parts = yield* cutParts(others, maxBytes, places);
  return { content: parts, places, mostBytes: maxBytes };
}

function* cutParts(content: Content, maxBytes: number, places: Set<string>): Steps<Content> {
  return yield* cutLists(yield* cutTexts(content, maxBytes, places), maxBytes, places);
}

function* cutTexts(content: Content, maxBytes: number, places: Set<string>): Steps<Content> {
  const sizes: number[] = [];
  yield* visit(content, { text: (text) => void (text.length > LEAST_TEXT_BYTES / 6 && sizes.push(textBytes(text))) });
  const most = evenSize(sizes, (yield* jsonBytes(content)) - maxBytes);
  return yield* cut(content, {
    list: (items) => items,
    text(text, path) {
      const kept = unitsWithin(text, most - WORD_BYTES);
      if (kept === text.length) return text;
      places.add(placeOf(path));
      return `${text.slice(0, kept)}\n[${text.length - kept} more characters]`;
    },
  });
}

/** The size limit of a text that reduces the sum of all sizes by `excess`. */
function evenSize(sizes: number[], excess: number): number {
  sizes.sort((a, b) => b - a);
  let left = excess;
  for (const [at, size] of sizes.entries()) {
    const gain = (size - Math.max(sizes[at + 1] ?? 0, LEAST_TEXT_BYTES)) * (at + 1);
    if (gain >= left) return Math.floor(size - left / (at + 1));
    left -= Math.max(0, gain);
  }
  return LEAST_TEXT_BYTES;
}

function* cutLists(content: Content, maxBytes: number, places: Set<string>): Steps<Content> {
  let fitting = content;
  for (let depth = yield* deepest(content); depth >= 0; depth -= 1) {
    const excess = (yield* jsonBytes(fitting)) - maxBytes;
    if (excess <= 0) break;
    const lists: (readonly unknown[])[] = [];
    yield* visit(fitting, { list: (items, at) => void (at === depth && lists.push(items)) });
    const most = evenLength(yield* bytesAtEach(lists), excess);
    fitting = yield* cut(fitting, {
      text: (text) => text,
      list(items, path, at) {
        if (at !== depth || items.length <= most) return items;
        places.add(placeOf(path));
        return items.slice(0, most);
      },
    });
  }
  return fitting;
}

/** The sum of the sizes of the items at each index of several lists. */
function* bytesAtEach(lists: readonly (readonly unknown[])[]): Steps<number[]> {
  const bytes: number[] = [];
  for (const items of lists) {
    for (const [at, item] of items.entries()) {
      bytes[at] = (bytes[at] ?? 0) + 1 + (yield* jsonBytes(item));
      yield;
    }
  }
  return bytes;
}

/** The length limit of a list that reduces the sum of all sizes by `excess`. */
function evenLength(bytesAt: readonly number[], excess: number): number {
  let left = excess;
  let length = bytesAt.length;
  for (; length > 0 && left > 0; length -= 1) left -= bytesAt[length - 1] ?? 0;
  return length;
}

function* deepest(content: Content): Steps<number> {
  let most = -1;
  yield* visit(content, {
    list(_items, depth) {
      most = Math.max(most, depth);
    },
  });
  return most;
}

function* visit(
  content: Content,
  look: { text?(text: string): void; list?(items: readonly unknown[], depth: number): void },
): Steps {
  yield* cut(content, {
    text(text) {
      look.text?.(text);
      return text;
    },
    list(items, _path, depth) {
      look.list?.(items, depth);
      return items;
    },
  });
}

function cut(content: Content, by: Cut): Steps<Content> {
  return cutTree(content, by);
}

function placeOf(path: Path): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('');
}
