import { join } from 'node:path';
import type { Options } from '../engine/options.ts';
import { OPTION_KEYS } from '../engine/options.ts';
import { LANGUAGES } from '../languages/registry.ts';
import { replacedSources } from './replacedPrograms.ts';
import { resolveOptions } from './resolveOptions.ts';
import type { FoundSources, Note, OptionSource, PendingNote, Variables } from './source.ts';
import { readYaml } from './yamlFile.ts';

/** The resolved options, their files, and what was invalid there. */
export interface Configuration {
  readonly options: Options;
  /** Configuration files that were read. */
  readonly files: readonly string[];
  /** Invalid values, one sentence each. */
  readonly problems: readonly string[];
  /** Valid settings of another program that have no option here. */
  readonly notes: readonly Note[];
}

/** Where `loadConfiguration` looks for configuration. */
export interface ConfigPlaces {
  /** Option key → text, from the command line. */
  readonly flags: Readonly<Record<string, string>>;
  /** An editor's settings, those that the user set. */
  readonly settings?: OptionSource;
  readonly env: Variables;
  readonly home: string;
}

const PREFIX = 'HOTHOUSE_';
const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

/**
 * Reads the configuration: command line, settings, `HOTHOUSE_*` variables, YAML, then the configuration of
 * the programs that languages replace, in the order of the languages, then defaults. Invalid values are reported and ignored. An
 * empty variable counts as not set.
 */
export async function loadConfiguration({ flags, settings, env, home }: ConfigPlaces): Promise<Configuration> {
  const found = [
    { sources: [...Object.entries(flags).map(flagSource), ...(settings ? [settings] : [])], files: [], problems: [] },
    variableSources(env),
    await fileSources(env, home),
    ...(await Promise.all(LANGUAGES.map((language) => replacedSources(language, env, home)))),
  ];
  const { options, problems } = resolveWithImages(found);
  return {
    options,
    files: found.flatMap(({ files }) => files),
    problems: [...found.flatMap((part) => part.problems), ...problems.map(({ message }) => message)],
    notes: found.flatMap(({ notes = [] }) => notes).flatMap((note) => noteWith(note, options)),
  };
}

/** An option says whether images of other programs count, and so the options are resolved before them. */
function resolveWithImages(found: readonly FoundSources[]): ReturnType<typeof resolveOptions> {
  const sources = found.flatMap((part) => part.sources);
  const resolved = resolveOptions(sources);
  if (!resolved.options.profiles.useImage) return resolved;
  return resolveOptions([...sources, ...found.flatMap(({ images = [] }) => images)]);
}

function noteWith({ text, important }: PendingNote, options: Options): Note[] {
  const sentence = text(options);
  return sentence === null ? [] : [{ text: sentence, important }];
}

/** The variable that sets an option: `pool.maxAgeSeconds` → `HOTHOUSE_POOL_MAX_AGE_SECONDS`. */
export function variableOf(key: string): string {
  return (
    PREFIX +
    key
      .replace(/[A-Z]/g, (letter) => `_${letter}`)
      .replace('.', '_')
      .toUpperCase()
  );
}

function flagSource([key, value]: [string, string]): OptionSource {
  return { name: 'the command line', values: { [key]: value }, text: true };
}

function variableSources(env: Variables): FoundSources {
  const keys = new Map(OPTION_KEYS.map(({ key }) => [variableOf(key), key]));
  const sources: OptionSource[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === CONFIG_VARIABLE || !value?.trim()) continue;
    const key = keys.get(name);
    if (key) sources.push({ name, values: { [key]: value }, text: true });
    else
      problems.push(`${name} is not a variable of Hothouse and was ignored; there are ${[...keys.keys()].join(', ')}.`);
  }
  return { sources, files: [], problems };
}

async function fileSources(env: Variables, home: string): Promise<FoundSources> {
  const chosen = env[CONFIG_VARIABLE]?.trim();
  const path = chosen || join(home, '.hothouse', 'config.yaml');
  const file = await readYaml(path);
  switch (file.kind) {
    case 'values':
      return { sources: [{ name: path, values: file.values }], files: [path], problems: [] };
    case 'unreadable':
      return { sources: [], files: [], problems: [file.message] };
    case 'absent':
      return {
        sources: [],
        files: [],
        problems: chosen ? [`${path}, named by ${CONFIG_VARIABLE}, does not exist.`] : [],
      };
  }
}
