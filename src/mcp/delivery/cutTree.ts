/** Names and places from the top of a tree to one of its parts, as in `['displays', 3, 'texts']`. */
export type Path = readonly (string | number)[];

/** What becomes of the texts and lists of a tree; a path is good during the call only. */
export interface Cut {
  text(text: string, path: Path): string;
  /** `depth` counts the lists around it. */
  list(items: readonly unknown[], path: Path, depth: number): readonly unknown[];
}

/**
 * A tree after a cut; what lost nothing is the same object. Objects that lost something say so in `truncated`, where they
 * have it.
 */
export function cutTree(value: unknown, cut: Cut, path: (string | number)[] = [], depth = 0): unknown {
  if (typeof value === 'string') return cut.text(value, path);
  if (Array.isArray(value)) return cutList(value, cut, path, depth);
  return typeof value === 'object' && value !== null ? cutObject(value, cut, path, depth) : value;
}

function cutList(items: readonly unknown[], cut: Cut, path: (string | number)[], depth: number): readonly unknown[] {
  const kept = cut.list(items, path, depth);
  const parts = kept.map((item, at) => within(path, at, () => cutTree(item, cut, path, depth + 1)));
  return kept.length === items.length && parts.every((part, at) => part === items[at]) ? items : parts;
}

function cutObject(value: object, cut: Cut, path: (string | number)[], depth: number): object {
  let parts: Record<string, unknown> | undefined;
  for (const [name, part] of Object.entries(value)) {
    const after = within(path, name, () => cutTree(part, cut, path, depth));
    if (after === part) continue;
    parts ??= { ...value, ...('truncated' in value && { truncated: true }) };
    parts[name] = after;
  }
  return parts ?? value;
}

function within<T>(path: (string | number)[], key: string | number, look: () => T): T {
  path.push(key);
  const found = look();
  path.pop();
  return found;
}
