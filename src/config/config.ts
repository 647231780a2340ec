import { join } from 'node:path';
import { OPTION_KEYS } from '../engine/optionKeys.ts';
import type { Options } from '../engine/options.ts';
import { sourcesOf } from './dockerMcp.ts';
import { leanDockerMcp } from './leanDockerMcp.ts';
import { pythonDockerMcp } from './pythonDockerMcp.ts';
import { type OptionSource, resolveOptions } from './resolveOptions.ts';
import { readYaml } from './yamlFile.ts';

/** The options that are in force, where they came from, and what was wrong there. */
export interface Configuration {
  readonly options: Options;
  /** Configuration files that were read. */
  readonly files: readonly string[];
  /** Wrong values, one sentence each. */
  readonly problems: readonly string[];
  /** What is not taken from the configuration of another program although nothing is wrong with it. */
  readonly notes: readonly Note[];
}

/** A sentence on a configuration. An important one is said at each start, the others by the doctor. */
export interface Note {
  readonly text: string;
  readonly important: boolean;
}

/** A note that depends on the options in force; its text is null where there is nothing to say. */
export interface PendingNote {
  readonly text: (options: Options) => string | null;
  readonly important: boolean;
}

/** Where configuration is looked for. */
export interface ConfigPlaces {
  /** Option key → text, from the command line. */
  readonly flags: Readonly<Record<string, string>>;
  /** An editor's settings, those that the user set. */
  readonly settings?: OptionSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Sources found, the strongest first. */
export interface FoundSources {
  readonly sources: readonly OptionSource[];
  readonly files: readonly string[];
  readonly problems: readonly string[];
  readonly notes?: readonly PendingNote[];
}

const PREFIX = 'HOTHOUSE_';
const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

/**
 * Reads the configuration: command line, settings, `HOTHOUSE_*` variables, YAML, then what python-docker-mcp and
 * lean-docker-mcp are set up with, in this order, then defaults. What is wrong is told and passed over. A variable that is
 * empty is not set.
 */
export async function loadConfiguration({ flags, settings, env, home }: ConfigPlaces): Promise<Configuration> {
  const found = [
    { sources: [...Object.entries(flags).map(flagSource), ...(settings ? [settings] : [])], files: [], problems: [] },
    variableSources(env),
    await fileSources(env, home),
    await sourcesOf(pythonDockerMcp, env, home),
    await sourcesOf(leanDockerMcp, env, home),
  ];
  const { options, problems } = resolveOptions(found.flatMap(({ sources }) => sources));
  return {
    options,
    files: found.flatMap(({ files }) => files),
    problems: [...found.flatMap((part) => part.problems), ...problems.map(({ message }) => message)],
    notes: found.flatMap(({ notes = [] }) => notes).flatMap((note) => noteWith(note, options)),
  };
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

function variableSources(env: ConfigPlaces['env']): FoundSources {
  const keys = new Map(OPTION_KEYS.map(({ key }) => [variableOf(key), key]));
  const sources: OptionSource[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === CONFIG_VARIABLE || !value?.trim()) continue;
    const key = keys.get(name);
    if (key) sources.push({ name, values: { [key]: value }, text: true });
    else problems.push(`${name} sets no option and was passed over; there are ${[...keys.keys()].join(', ')}.`);
  }
  return { sources, files: [], problems };
}

async function fileSources(env: ConfigPlaces['env'], home: string): Promise<FoundSources> {
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
