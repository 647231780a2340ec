import { isMap, LineCounter, type Node, parseDocument, stringify } from 'yaml';
import {
  type DefinitionProblem,
  type EnvironmentInput,
  type EnvironmentRecord,
  formatDefinitionProblem,
  parseDefinition,
} from '../engine/environment/definition.ts';
import { PACKAGE_MANAGERS } from '../engine/packages/packageName.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';

/** One environment of a file. */
export interface FileEnvironment {
  readonly input: EnvironmentInput;
  /** As the file has it; the engine checks it. */
  readonly lock: unknown;
}

/** What a file of environments holds. */
export interface EnvironmentFile {
  readonly environments: readonly FileEnvironment[];
  /** One sentence each, with line and column; an environment with a problem is left out. */
  readonly problems: readonly string[];
}

/** Reads a file of environments: `environments: {NAME: {language: …, packages: {pip: […]}}}`. */
export function parseEnvironmentFile(text: string, languages: readonly LanguageDefinition[]): EnvironmentFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `line ${line}, column ${col}`;
  };
  const [broken] = document.errors;
  if (broken) return { environments: [], problems: [`${at(broken.pos[0])}: it is not valid YAML (${broken.code}).`] };
  const place = (path: readonly (string | number)[]) => at(offsetOf(document.contents, path));
  const format = (path: readonly (string | number)[], message: string) => `${place(path)}: ${message}`;
  const content = toObject(() => document.toJS({ maxAliasCount: 100 }));
  const listed = toObject(() => content?.environments);
  const unknown = Object.keys(content ?? {}).filter((key) => key !== 'environments');
  const problems = unknown.map((key) => format([key], `${key}: There is no such key.`));
  if (!listed) return { environments: [], problems: [...problems, format([], 'There is no map "environments".')] };
  const environments: FileEnvironment[] = [];
  for (const [name, value] of Object.entries(listed)) {
    const { lock, name: _name, ...rest } = toObject(() => value) ?? {};
    const input = { ...rest, name };
    const { definition, problems: wrong } = parseDefinition(input, languages);
    if (definition) environments.push({ input: definition, lock });
    const inFile = ({ path }: DefinitionProblem) => ['environments', name, ...(path[0] === 'name' ? [] : path)];
    problems.push(...wrong.map((problem) => format(inFile(problem), `${name}: ${formatDefinitionProblem(problem)}`)));
  }
  return { environments, problems };
}

/** An environment as a file of environments, with the lock if `withLock`. */
export function formatEnvironmentFile(record: EnvironmentRecord, withLock: boolean): string {
  const { name, language, base, packages, variables, network, lock } = record;
  const lists = PACKAGE_MANAGERS.flatMap((manager) =>
    packages[manager].length > 0 ? [[manager, packages[manager]]] : [],
  );
  const environment = {
    language,
    ...(base !== '' && { base }),
    packages: Object.fromEntries(lists),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(network !== 'packages' && { network }),
    ...(withLock && { lock }),
  };
  return stringify({ environments: { [name]: environment } }, { lineWidth: 0 });
}

/** Where a path begins in a document; where it does not exist, where its nearest parent does. Keys come before values. */
function offsetOf(root: Node | null, path: readonly (string | number)[]): number | undefined {
  let node: unknown = root;
  let offset = root?.range?.[0];
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(part));
      offset = rangeOf(pair?.key) ?? offset;
      node = pair?.value;
    } else {
      node = hasItems(node) ? node.items[Number(part)] : undefined;
      offset = rangeOf(node) ?? offset;
    }
  }
  return offset;
}

function hasItems(node: unknown): node is { readonly items: readonly unknown[] } {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items);
}

function rangeOf(node: unknown): number | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** The value if it is an object with keys. An alias that expands too far counts as none. */
function toObject(get: () => unknown): Record<string, unknown> | undefined {
  try {
    const value = get();
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
