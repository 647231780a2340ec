import { z } from 'zod';
import type { FoundPackages, ProjectFile } from '../projectFile.ts';
import { caretRange, tildeRange } from './versionRanges.ts';

const Names = z.array(z.string()).catch([]);
const Groups = z.record(z.string(), z.unknown()).catch({}).default({});
const Table = z.record(z.string(), z.unknown());
const PyProject = z.looseObject({
  project: z
    .looseObject({ dependencies: Names.default([]), dynamic: Names.default([]), 'optional-dependencies': Groups })
    .optional(),
  'dependency-groups': Groups,
  tool: z
    .looseObject({
      poetry: z.looseObject({ dependencies: Table.default({}), group: Groups }).optional(),
      uv: z.looseObject({ sources: Groups }).optional(),
    })
    .optional(),
});
const CondaFile = z.looseObject({
  channels: z.array(z.string()).catch([]).default([]),
  dependencies: z.array(z.union([z.string(), z.looseObject({ pip: Names.default([]) })])).catch([]),
  variables: Groups,
});

/** Files that name the packages of a Python project. */
export const PYTHON_PROJECT_FILES: readonly ProjectFile[] = [
  { file: 'requirements.txt', format: 'text', read: (text) => readRequirements(String(text)) },
  { file: 'pyproject.toml', format: 'toml', read: readPyProject },
  { file: 'environment.yml', format: 'yaml', read: readConda },
];

/** Names and versions of a requirements file; options, addresses and other files are not taken. Hashes are dropped. */
function readRequirements(text: string): FoundPackages {
  const packages: string[] = [];
  const leftOut: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const entry = line
      .replace(/(^|\s)#.*$/, '')
      .replace(/\s--hash[= ]\S+/g, '')
      .replace(/^\uFEFF/, '')
      .trim();
    const reason = optionReason(entry);
    if (reason) leftOut.push(`${entry} (${reason})`);
    else if (entry !== '') packages.push(entry);
  }
  return { packages, leftOut };
}

/** Why a line that is no requirement is not taken; null for a requirement. */
function optionReason(entry: string): string | null {
  if (!entry.startsWith('-')) return null;
  if (/^(-r|--requirement)\b/.test(entry)) return 'another file';
  if (/^(-c|--constraint)\b/.test(entry)) return 'versions in another file';
  if (/^(-e|--editable)\b/.test(entry)) return 'a folder or an address';
  return 'an option';
}

function readPyProject(value: unknown): FoundPackages {
  const { project, tool, 'dependency-groups': groups } = PyProject.catch({ 'dependency-groups': {} }).parse(value);
  const { poetry, uv } = tool ?? {};
  const pinned = Object.entries(poetry?.dependencies ?? {})
    .filter(([name]) => name !== 'python')
    .map(([name, version]) => [name, poetryEntry(name, version)] as const);
  const dynamic = project?.dynamic.includes('dependencies')
    ? ['dependencies (only a build of the project knows them)']
    : [];
  return {
    packages: [...(project?.dependencies ?? []), ...pinned.flatMap(([, entry]) => entry ?? [])],
    leftOut: [
      ...pinned.flatMap(([name, entry]) => (entry === null ? [`${name} (a version that only Poetry knows)`] : [])),
      ...dynamic,
      ...keysOf(project?.['optional-dependencies'], 'optional'),
      ...keysOf(groups, 'a group'),
      ...keysOf(poetry?.group, 'a group'),
      ...keysOf(uv?.sources, 'taken from the package index, not from its source for uv'),
    ],
  };
}

function keysOf(table: object | undefined, reason: string): string[] {
  return Object.keys(table ?? {}).map((key) => `${key} (${reason})`);
}

/** A dependency of Poetry as pip spells it; null for those that pip does not know. */
function poetryEntry(name: string, value: unknown): string | null {
  const { version, extras, markers, ...rest } =
    typeof value === 'string' ? { version: value } : z.looseObject({}).catch({}).parse(value);
  const others = Object.keys(rest).filter((key) => key !== 'optional' && key !== 'python');
  if (typeof version !== 'string' || others.length > 0) return null;
  const range = version
    .split(',')
    .map((clause) => clauseOf(clause.trim()))
    .filter((clause) => clause !== '');
  if (range.includes(null)) return null;
  const withExtras = Array.isArray(extras) ? `${name}[${extras.join(',')}]` : name;
  return `${withExtras}${range.join(',')}${typeof markers === 'string' ? `; ${markers}` : ''}`;
}

function clauseOf(clause: string): string | null {
  if (clause === '*') return '';
  if (/^\d[\w.*]*$/.test(clause)) return `==${clause}`;
  return (
    caretRange(clause) ??
    tildeRange(clause) ??
    (/^(?:[<>]=?|[=!]=)/.test(clause) && !clause.includes('||') ? clause : null)
  );
}

/** The pip packages of an environment of conda, and its own where pip may have one of the same name. */
function readConda(value: unknown): FoundPackages {
  const { channels, dependencies, variables } = CondaFile.catch({
    ...{ channels: [], dependencies: [], variables: {} },
  }).parse(value);
  const packages: string[] = [];
  const leftOut = channels.filter((one) => one !== 'defaults').map((one) => `${one} (a channel of conda)`);
  for (const entry of dependencies) {
    if (typeof entry !== 'string') {
      const found = readRequirements(entry.pip.join('\n'));
      packages.push(...found.packages);
      leftOut.push(...found.leftOut);
      continue;
    }
    const requirement = condaEntry(entry);
    if (requirement === null) leftOut.push(`${entry} (from conda)`);
    else packages.push(requirement);
  }
  return { packages, leftOut: [...leftOut, ...keysOf(variables, 'a variable')] };
}

/** A package of conda as pip spells it, without the build; null for what only conda has. */
function condaEntry(entry: string): string | null {
  const [, name, versions = ''] = /^([A-Za-z0-9][A-Za-z0-9._-]*?)\s*((?:[=<>!~\s]=?|==).*)?$/.exec(entry) ?? [];
  if (name === undefined || name === 'python' || name === 'pip') return null;
  const clauses = versions.split(',').map((clause) => {
    const [, sign = '', version = ''] = /^\s*(==?|[<>!~]=?|)\s*([\w.*+!]*)(?:[=\s]\S+)?$/.exec(clause) ?? [];
    if (version === '' || version === '*') return clause.trim() === '' || version === '*' ? '' : null;
    return sign === '=' || sign === '' ? `==${version.replace(/\.?\*$/, '')}.*` : `${sign}${version}`;
  });
  return clauses.includes(null) ? null : `${name}${clauses.filter(Boolean).join(',')}`;
}
