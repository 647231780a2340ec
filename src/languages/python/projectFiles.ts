import { z } from 'zod';
import type { FoundPackages, ProjectFile } from '../projectFile.ts';

const Names = z.array(z.string()).catch([]);
const PyProject = z.looseObject({
  project: z.looseObject({ dependencies: Names.default([]) }).optional(),
  tool: z
    .looseObject({ poetry: z.looseObject({ dependencies: z.record(z.string(), z.unknown()) }).optional() })
    .optional(),
});
const CondaFile = z.looseObject({
  dependencies: z.array(z.union([z.string(), z.looseObject({ pip: Names.default([]) })])).catch([]),
});

/** Files that name the packages of a Python project. */
export const PYTHON_PROJECT_FILES: readonly ProjectFile[] = [
  { file: 'requirements.txt', format: 'text', read: (text) => readRequirements(String(text)) },
  { file: 'pyproject.toml', format: 'toml', read: readPyProject },
  { file: 'environment.yml', format: 'yaml', read: readConda },
];

/** Names and versions of a requirements file; options, hashes, addresses and other files are not taken. */
function readRequirements(text: string): FoundPackages {
  const packages: string[] = [];
  const leftOut: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const entry = line
      .replace(/(^|\s)#.*$/, '')
      .replace(/\s--hash[= ]\S+/g, '')
      .trim();
    if (entry.startsWith('-')) leftOut.push(`${entry} (an option)`);
    else if (entry !== '') packages.push(entry);
  }
  return { packages, leftOut };
}

function readPyProject(value: unknown): FoundPackages {
  const { project, tool } = PyProject.catch({}).parse(value);
  const poetry = Object.entries(tool?.poetry?.dependencies ?? {}).filter(([name]) => name !== 'python');
  const exact = poetry.map(([name, version]) => [name, version === '*' ? name : rangeOf(name, version)] as const);
  return {
    packages: [...(project?.dependencies ?? []), ...exact.flatMap(([, entry]) => entry ?? [])],
    leftOut: exact.flatMap(([name, entry]) => (entry === null ? [`${name} (a version that only Poetry knows)`] : [])),
  };
}

/** Poetry's version as pip spells it; null for those that pip does not know. */
function rangeOf(name: string, version: unknown): string | null {
  if (typeof version !== 'string') return null;
  const caret = /^\^(\d+)((?:\.\d+)*)$/.exec(version);
  if (caret && caret[1] !== '0') return `${name}>=${version.slice(1)},<${Number(caret[1]) + 1}`;
  if (/^\d[\w.]*$/.test(version)) return `${name}==${version}`;
  return /^[<>=!~]/.test(version) && !version.includes('||') ? `${name}${version}` : null;
}

/** The pip packages of an environment of conda, and its own where pip may have one of the same name. */
function readConda(value: unknown): FoundPackages {
  const packages: string[] = [];
  const leftOut: string[] = [];
  for (const entry of CondaFile.catch({ dependencies: [] }).parse(value).dependencies) {
    if (typeof entry !== 'string') packages.push(...entry.pip);
    else {
      const [, name, sign, version] = /^([A-Za-z0-9._-]+)\s*(?:(==?|[<>!]=?)\s*([\w.*]+))?(?:=\S+)?$/.exec(entry) ?? [];
      if (name === undefined || name === 'python' || name === 'pip') leftOut.push(`${entry} (from conda)`);
      else if (version === undefined) packages.push(name);
      else packages.push(sign === '=' ? `${name}==${version}.*` : `${name}${sign}${version}`);
    }
  }
  return { packages, leftOut };
}
