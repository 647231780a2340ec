import { extname } from 'node:path';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import { UsageError } from './command.ts';

type Languages = readonly LanguageDefinition[];

/** The language with this id. Throws `UsageError`. */
export function languageOf(name: string | undefined, languages: Languages): LanguageDefinition {
  const language = languages.find(({ id }) => id === name);
  if (!language) throw new UsageError(`There is no language "${name ?? ''}"; there is ${idsOf(languages).join(', ')}.`);
  return language;
}

/** The language whose files have this file's extension. */
export function languageOfFile(file: string, languages: Languages): LanguageDefinition | undefined {
  return languages.find(({ fileExtensions }) => fileExtensions.includes(extname(file)));
}

/** The language that arguments name by its id, otherwise by a file's extension. */
export function namedLanguage(
  args: readonly (string | undefined)[],
  languages: Languages,
): LanguageDefinition | undefined {
  const given = args.filter((text) => text !== undefined);
  const byId = given.map((text) => languages.find(({ id }) => id === text));
  const byFile = given.map((text) => languageOfFile(text, languages));
  return [...byId, ...byFile].find((language) => language !== undefined);
}

export function idsOf(languages: Languages): string[] {
  return languages.map(({ id }) => id);
}
