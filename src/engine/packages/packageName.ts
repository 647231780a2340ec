import type { PackageManager } from '../../languages/languageDefinition.ts';

/** Every package manager, in the order in which definitions list them. */
export const PACKAGE_MANAGERS: readonly PackageManager[] = ['pip', 'npm', 'nuget', 'apt'];

/** Longer than any name with extras and a range of versions. */
const MAX_LENGTH = 300;

/** One entry of a list of packages as its manager spells it: the name, and what narrows the version. */
interface Spelling {
  readonly pattern: RegExp;
  /** How an entry looks, for messages. */
  readonly example: string;
  /** Names that differ only in spelling become equal. */
  normalize(name: string): string;
  /** What comes between a name and its one version. */
  readonly equals: string;
}

const PIP_NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const PIP_EXTRAS = `(?:\\s*\\[\\s*${PIP_NAME}(?:\\s*,\\s*${PIP_NAME})*\\s*\\])?`;
const PIP_CLAUSE = '(?:===|==|~=|!=|<=|>=|<|>)\\s*[A-Za-z0-9._*+!-]+';
const PIP_VERSIONS = `(?:\\s*${PIP_CLAUSE}(?:\\s*,\\s*${PIP_CLAUSE})*)?`;
const PIP_MARKER = '(?:\\s*;[A-Za-z0-9_.\\s"\'<>=!~()+-]+)?';

const NUGET_VERSION = '[0-9]+(?:\\.[0-9]+){0,3}(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?';
const NUGET_FLOATING = '(?:[0-9]+\\.){0,3}\\*(?:-\\*)?';
const NUGET_BOUNDS = `[[(] *(?:${NUGET_VERSION})? *(?:, *(?:${NUGET_VERSION})? *)?[\\])]`;
const NUGET_RANGE = `${NUGET_VERSION}|${NUGET_FLOATING}|${NUGET_BOUNDS}`;

const MAX_URL = 2_000;
const PACKAGE_URL = new RegExp(`^(?:${PIP_NAME}${PIP_EXTRAS}\\s*@\\s*)?(?:git\\+)?https?://[^\\s'"\\\\]+$`);

/** No spelling accepts an option (`-r`), a URL, a path or a line break: they name places, not packages. */
const SPELLINGS: Readonly<Record<PackageManager, Spelling>> = {
  pip: {
    pattern: new RegExp(`^(${PIP_NAME})${PIP_EXTRAS}${PIP_VERSIONS}${PIP_MARKER}$`),
    example: 'requests, requests[socks] or "requests>=2.31,<3"',
    normalize: (name) => name.toLowerCase().replace(/[-_.]+/g, '-'),
    equals: '==',
  },
  npm: {
    pattern: /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@(?=[^-])[A-Za-z0-9.^~<>=*| +-]+)?$/i,
    example: 'lodash, lodash@4.17.21 or @types/node@^22',
    normalize: (name) => name.toLowerCase(),
    equals: '@',
  },
  nuget: {
    pattern: new RegExp(`^([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?)(?:@(?:${NUGET_RANGE}))?$`),
    example: 'Newtonsoft.Json, Newtonsoft.Json@13.0.3 or "Newtonsoft.Json@[12.0, 14.0)"',
    normalize: (name) => name.toLowerCase(),
    equals: '@',
  },
  apt: {
    // apt-get removes a package whose name it is given with a minus at the end.
    pattern: /^([a-z0-9][a-z0-9+.-]*[a-z0-9+.])(?::[a-z0-9]+)?(?:=[A-Za-z0-9][A-Za-z0-9.+:~-]*)?$/,
    example: 'graphviz or graphviz=2.42.4-3',
    normalize: (name) => name,
    equals: '=',
  },
};

/** Whether an entry is the address of a package, as in `https://host/mine.whl` or `mine @ git+https://host/mine`. */
export function isPackageUrl(entry: string): boolean {
  return entry.length <= MAX_URL && PACKAGE_URL.test(entry);
}

/** Why an entry names no package of that manager, as a sentence; null when it does. */
export function packageProblem(manager: PackageManager, entry: string): string | null {
  const { pattern, example } = SPELLINGS[manager];
  const isPackage = entry.length <= MAX_LENGTH && !/[\r\n]/.test(entry) && pattern.test(entry);
  if (isPackage) return null;
  return `${JSON.stringify(entry.slice(0, 80))} is not the name of a package for ${manager}: options, URLs and paths are not accepted. Examples: ${example}.`;
}

/** The name in a valid entry, as the manager's index spells it: without extras, versions and markers. */
export function packageName(manager: PackageManager, entry: string): string {
  const { pattern, normalize } = SPELLINGS[manager];
  return normalize(pattern.exec(entry)?.[1] ?? entry);
}

/** An entry for one version of a package. */
export function pinned(manager: PackageManager, name: string, version: string): string {
  return `${name}${SPELLINGS[manager].equals}${version}`;
}

/** A list with further entries: each takes the place of the entry with its name. */
export function withEntries(manager: PackageManager, before: readonly string[], added: readonly string[]): string[] {
  const names = new Set(added.map((entry) => packageName(manager, entry)));
  return [...before.filter((entry) => !names.has(packageName(manager, entry))), ...added];
}
