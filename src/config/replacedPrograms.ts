import { join } from 'node:path';
import { languageOptions, type Options } from '../engine/options.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { ReplacedProgram, ReplacedSetting } from '../languages/replacedProgram.ts';
import { megabytes, type OptionMapping, replacedImage, SHARED_MAPPINGS, unsupported } from './optionMapping.ts';
import type { FoundSources, OptionSource, PendingNote, Variables } from './source.ts';
import { LIKE_PYYAML, readYaml } from './yamlFile.ts';

/** The configuration of the program that a language replaces, its variables before its file. */
export async function replacedSources(
  language: LanguageDefinition,
  env: Variables,
  home: string,
): Promise<FoundSources> {
  const program = language.replaces;
  if (!program) return NOTHING;
  return sourcesOf(program.name, mappingsOf(language, program), { env, home, imageOption: `${language.id}.image` });
}

const NOTHING: FoundSources = { sources: [], files: [], problems: [] };

function mappingsOf(language: LanguageDefinition, { settings }: ReplacedProgram): Mappings {
  const own = Object.entries(settings).map(([key, setting]) => [key, mappingOf(setting)] as const);
  const image = replacedImage(`${language.id}.image`, (options) => languageOptions(language, options).image);
  return new Map([...Object.entries(SHARED_MAPPINGS), ['docker.image', image], ...own]);
}

function mappingOf(setting: ReplacedSetting): OptionMapping {
  if ('option' in setting) return { key: setting.option, ...(setting.isMemory && { convert: megabytes }) };
  return unsupported(setting.instead);
}

/** Where to look, and the option that has the language's image. */
interface Places {
  readonly env: Variables;
  readonly home: string;
  readonly imageOption: string;
}

async function sourcesOf(name: string, known: Mappings, { env, home, imageOption }: Places): Promise<FoundSources> {
  const prefix = `${name.replaceAll('-', '_').toUpperCase()}_`;
  const { path, file, notes } = await readConfiguration(name, env[`${prefix}CONFIG`], home);
  const settings = file.kind === 'values' ? settingsOf(path, file.values, known) : [];
  const all = [...variables(env, prefix), ...settings];
  return {
    sources: all.flatMap((setting) => sourceOf(setting, known)),
    images: all
      .filter(({ value }) => !isEmpty(value))
      .flatMap((setting) => sourceOf(setting, new Map([['docker.image', { key: imageOption }]]))),
    files: file.kind === 'values' ? [path] : [],
    problems: file.kind === 'unreadable' ? [file.message] : [],
    notes: [...notes, ...notesOf(all, name, known)],
  };
}

type Mappings = ReadonlyMap<string, OptionMapping>;

interface Setting {
  readonly key: string;
  /** The variable, or the key as the file has it. */
  readonly label: string;
  /** The file; null for a variable. */
  readonly path: string | null;
  readonly value: unknown;
}

/** The file that a variable names, or the default one where that does not exist. */
async function readConfiguration(program: string, chosen: string | undefined, home: string) {
  const fallback = join(home, `.${program}`, 'config.yaml');
  const path = chosen?.trim() || fallback;
  const file = await readYaml(path, LIKE_PYYAML);
  if (file.kind !== 'absent' || path === fallback) return { path, file, notes: [] };
  const text = `${path}, which the configuration of ${program} names, does not exist; trying ${fallback}.`;
  return {
    path: fallback,
    file: await readYaml(fallback, LIKE_PYYAML),
    notes: [{ important: false, text: () => text }],
  };
}

/** An empty variable counts as not set. */
function variables(env: Variables, prefix: string): Setting[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && name !== `${prefix}CONFIG` && value?.trim())
    .map(([name, value]) => ({
      ...{ key: `docker.${name.slice(prefix.length).toLowerCase()}`, label: name, path: null, value },
    }));
}

function settingsOf(path: string, values: unknown, known: Mappings): Setting[] {
  const groups = new Set([...known.keys()].filter((key) => key.includes('.')).map((key) => key.split('.')[0]));
  return entriesOf(values).flatMap(([group, value]): Setting[] => {
    const isGroup = groups.has(group) && (value === null || typeof value === 'object');
    if (!isGroup) return [{ key: group, label: group, path, value }];
    return entriesOf(value).map(([key, inner]) => ({
      ...{ key: `${group}.${key}`, label: `${group}.${key}`, path, value: inner },
    }));
  });
}

function sourceOf({ key, label, path, value }: Setting, known: Mappings): OptionSource[] {
  const mapping = known.get(key);
  if (!mapping || !('key' in mapping) || value === null) return [];
  const converted = mapping.convert ? mapping.convert(value) : value;
  return [{ name: nameOf({ label, path }), values: { [mapping.key]: converted }, text: true }];
}

function notesOf(settings: readonly Setting[], program: string, known: Mappings): PendingNote[] {
  return settings.flatMap((setting): PendingNote[] => {
    const mapping = known.get(setting.key);
    const name = nameOf(setting);
    if (!mapping) return [{ important: false, text: () => `${name} is not a known setting of ${program}.` }];
    if ('key' in mapping || isEmpty(setting.value)) return [];
    const { why, important = false } = mapping;
    const text = (options: Options) => {
      const reason = why(setting.value, options);
      return reason === null ? null : `${name} ${reason}`;
    };
    return [{ important, text }];
  });
}

function nameOf({ label, path }: Pick<Setting, 'label' | 'path'>): string {
  return path === null ? label : `${label} in ${path}`;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
