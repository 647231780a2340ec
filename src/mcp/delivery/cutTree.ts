import type { Steps } from '../../base/slices.ts';

/** Keys and indices from the root of a tree to a node, as in `['displays', 3, 'texts']`. */
export type Path = readonly (string | number)[];

/** Shortens the texts and lists of a tree. A path is valid only during the call. */
export interface Cut {
  text(text: string, path: Path): string;
  /** `depth` counts the enclosing lists. */
  list(items: readonly unknown[], path: Path, depth: number): readonly unknown[];
}

/**
 * Structured content after a cut; yields after each item of a top-level list. An unchanged node stays the same object.
 * A changed object that has `truncated` gets `truncated: true`.
 */
export function* cutTree<T extends object>(tree: T, cut: Cut): Steps<T> {
  const parts = new Map<string, unknown>();
  for (const [name, part] of Object.entries(tree)) {
    parts.set(name, Array.isArray(part) ? yield* cutTopList(part, cut, name) : cutPart(part, cut, [name], 0));
    yield;
  }
  return withParts(tree, parts);
}

function* cutTopList(items: readonly unknown[], cut: Cut, name: string): Steps<readonly unknown[]> {
  const parts: unknown[] = [];
  for (const [at, item] of cut.list(items, [name], 0).entries()) {
    parts.push(cutPart(item, cut, [name, at], 1));
    yield;
  }
  return sameOr(items, parts);
}

function cutPart(value: unknown, cut: Cut, path: (string | number)[], depth: number): unknown {
  if (typeof value === 'string') return cut.text(value, path);
  if (Array.isArray(value)) {
    const kept = cut.list(value, path, depth);
    return sameOr(
      value,
      kept.map((item, at) => within(path, at, () => cutPart(item, cut, path, depth + 1))),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const parts = new Map<string, unknown>();
  for (const [name, part] of Object.entries(value)) {
    parts.set(
      name,
      within(path, name, () => cutPart(part, cut, path, depth)),
    );
  }
  return withParts(value, parts);
}

function sameOr(items: readonly unknown[], parts: readonly unknown[]): readonly unknown[] {
  return parts.length === items.length && parts.every((part, at) => part === items[at]) ? items : parts;
}

function withParts<T extends object>(whole: T, parts: ReadonlyMap<string, unknown>): T {
  const changed = Object.entries(whole).filter(([name, part]) => parts.get(name) !== part);
  if (changed.length === 0) return whole;
  const after = Object.fromEntries(changed.map(([name]) => [name, parts.get(name)]));
  return { ...whole, ...('truncated' in whole && { truncated: true }), ...after };
}

function within<T>(path: (string | number)[], key: string | number, look: () => T): T {
  path.push(key);
  const found = look();
  path.pop();
  return found;
}
