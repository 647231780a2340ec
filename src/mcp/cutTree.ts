/** What becomes of the texts and lists of a tree. Paths are as in `displays[3].texts`; `depth` counts the lists around. */
export interface Cut {
  text(text: string, path: string): string;
  list(items: readonly unknown[], path: string, depth: number): readonly unknown[];
}

/** The tree after a cut; what lost nothing is the same object. Objects that lost something say so in `truncated`, where they have it. */
export function cutTree(value: unknown, cut: Cut, path = '', depth = 0): unknown {
  if (typeof value === 'string') return cut.text(value, path);
  if (Array.isArray(value)) return cutList(value, cut, path, depth);
  return typeof value === 'object' && value !== null ? cutObject(value, cut, path, depth) : value;
}

function cutList(items: readonly unknown[], cut: Cut, path: string, depth: number): readonly unknown[] {
  const kept = cut.list(items, path, depth);
  const parts = kept.map((item, at) => cutTree(item, cut, `${path}[${at}]`, depth + 1));
  return kept.length === items.length && parts.every((part, at) => part === items[at]) ? items : parts;
}

function cutObject(value: object, cut: Cut, path: string, depth: number): object {
  const fields = Object.entries(value);
  const parts = fields.map(
    ([name, part]) => [name, cutTree(part, cut, path ? `${path}.${name}` : name, depth)] as const,
  );
  if (parts.every(([, part], at) => part === fields[at]?.[1])) return value;
  return { ...Object.fromEntries(parts), ...('truncated' in value && { truncated: true }) };
}
