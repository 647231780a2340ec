import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { packageName, packageProblem } from '../engine/packages/packageName.ts';
import type { LanguageDefinition, PackageManager } from '../languages/languageDefinition.ts';
import type { ProjectFile } from '../languages/projectFile.ts';
import { LANGUAGES } from '../languages/registry.ts';

const ALL: readonly (readonly [ProjectFile, language: string, manager: PackageManager])[] = LANGUAGES.flatMap(
  (language) => {
    const { id, projectFiles = [], packageManager }: LanguageDefinition = language;
    return packageManager ? projectFiles.map((file) => [file, id, packageManager] as const) : [];
  },
);

/** Names of the files that list packages of a project. */
export const PROJECT_FILES: readonly string[] = ALL.map(([{ file }]) => file);

/** What a new environment can take from a project's file. */
export interface ProjectPackages {
  readonly language: string;
  readonly packages: Readonly<Partial<Record<PackageManager, readonly string[]>>>;
  /** Entries that were not taken, with the reason in parentheses. */
  readonly leftOut: readonly string[];
}

/** Reads the packages in one of `PROJECT_FILES`: names and versions only. Throws when it is not of its format. */
export function readProjectFile(name: string, text: string): ProjectPackages {
  const known = ALL.find(([{ file }]) => file === name);
  if (!known) throw new Error(`${name} is not a file of packages.`);
  const [file, language, manager] = known;
  const found = file.read(PARSERS[file.format](text));
  const names = new Set<string>();
  const packages: string[] = [];
  const leftOut = [...found.leftOut];
  for (const entry of found.packages) {
    const key = packageName(manager, entry);
    if (packageProblem(manager, entry)) leftOut.push(`${entry} (not a name with versions)`);
    else if (names.has(key)) leftOut.push(`${entry} (listed twice)`);
    else packages.push(entry);
    names.add(key);
  }
  return { language, packages: { [manager]: packages }, leftOut };
}

const PARSERS: Readonly<Record<ProjectFile['format'], (text: string) => unknown>> = {
  text: (text) => text,
  json: (text) => JSON.parse(text),
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text, { maxAliasCount: 100 }),
};
