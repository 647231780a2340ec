import { join } from 'node:path';
import { given } from '../engine/describeSchema.ts';
import type { Options } from '../engine/options.ts';
import type { ConfigPlaces, FoundSources, PendingNote } from './config.ts';
import type { OptionSource } from './resolveOptions.ts';
import { readYaml } from './yamlFile.ts';

/** What a setting of another program is here. */
export type Counterpart = OptionCounterpart | NoCounterpart;

/** An option of ours. */
export interface OptionCounterpart {
  readonly key: string;
  /** The value in our units; undefined where it changes nothing here. */
  readonly convert?: (value: unknown) => unknown;
}

/** Nothing that changes an option. */
export interface NoCounterpart {
  /** Why not, and what holds instead, for people: goes behind `docker.image in FILE`; null where there is nothing to say. */
  readonly why: (value: unknown, options: Options) => string | null;
  /** It changes what runs, or what may be run: said at each start, not by the doctor alone. */
  readonly important?: boolean;
}

/** A program whose configuration is understood. */
export interface OtherProgram {
  /** As its folder and its variables spell it: `python-docker-mcp`. */
  readonly name: string;
  /** `group.key`, or the key of a whole group, of its file → what it is here. */
  readonly counterparts: Readonly<Record<string, Counterpart>>;
}

/** What is the same in both programs. Values that cannot be converted are handed on: the schema tells what it accepts. */
export const SHARED_COUNTERPARTS: Readonly<Record<string, Counterpart>> = {
  'docker.cpu_limit': { key: 'limits.cpus' },
  'docker.timeout': { key: 'limits.timeoutSeconds' },
  'docker.network_disabled': { key: 'limits.network', convert: (value) => negated(booleanOf(value)) },
  'docker.pool_size': { key: 'pool.size' },
  'docker.pool_max_age': { key: 'pool.maxAgeSeconds' },
  'docker.max_concurrent_creations': { key: 'pool.maxConcurrentCreations' },
  // Those programs take every other word for no.
  'docker.pool_enabled': { key: 'pool.reuse', convert: (value) => (booleanOf(value) === true ? undefined : 'never') },
  'docker.working_dir': { why: () => 'has no effect here: code runs in /workspace.' },
  // It has no effect in those programs either, and nobody is to lose a wall by it.
  'docker.read_only': {
    why: (value, { limits }) =>
      booleanOf(value) === limits.readOnly
        ? null
        : `has no effect here: limits.readOnly decides, which is ${limits.readOnly}.`,
  },
  'docker.debug': { why: (value) => (booleanOf(value) === true ? 'has no effect here: use --verbose.' : null) },
};

/** An image of another program; `imageOf` gives ours, and `option` names it. */
export function otherImage(option: string, imageOf: (options: Options) => string): NoCounterpart {
  return {
    important: true,
    why: (value, options) => {
      const ours = imageOf(options);
      return value === ours ? null : `is ${given(value)}, which is not used: ${option} decides, which is "${ours}".`;
    },
  };
}

/** What another program is set up with, its variables before its file. */
export async function sourcesOf(program: OtherProgram, env: ConfigPlaces['env'], home: string): Promise<FoundSources> {
  const { name, counterparts } = program;
  const prefix = `${name.replaceAll('-', '_').toUpperCase()}_`;
  const { path, file, notes } = await fileOf(name, env[`${prefix}CONFIG`], home);
  const known = new Map(Object.entries(counterparts));
  const settings = file.kind === 'values' ? settingsOf(path, file.values, known) : [];
  const all = [...variables(env, prefix), ...settings];
  return {
    sources: all.flatMap((setting) => sourceOf(setting, known)),
    files: file.kind === 'values' ? [path] : [],
    problems: file.kind === 'unreadable' ? [file.message] : [],
    notes: [...notes, ...notesOf(all, name, known)],
  };
}

/** Docker's spelling of an amount of memory in MB; what is none stays as it is. */
export function megabytes(value: unknown): unknown {
  const match = /^(\d+(?:\.\d+)?)([bkmg]?)i?b?$/i.exec(String(value).trim());
  const factor = MEGABYTES[match?.[2]?.toLowerCase() ?? 'none'];
  return factor === undefined ? value : Math.round(Number(match?.[1]) * factor);
}

const MEGABYTES: Readonly<Record<string, number>> = { '': 1 / 1_048_576, b: 1 / 1_048_576, k: 1 / 1024, m: 1, g: 1024 };

type Counterparts = ReadonlyMap<string, Counterpart>;

interface Setting {
  readonly key: string;
  /** The variable, or the key as the file has it. */
  readonly label: string;
  /** The file; null for a variable. */
  readonly path: string | null;
  readonly value: unknown;
}

/** The file that a variable names, or the one in the program's folder where there is none of that name. */
async function fileOf(program: string, chosen: string | undefined, home: string) {
  const usual = join(home, `.${program}`, 'config.yaml');
  const path = chosen?.trim() || usual;
  const file = await readYaml(path);
  if (file.kind !== 'absent' || path === usual) return { path, file, notes: [] };
  const text = `${path}, which the configuration of ${program} names, does not exist; ${usual} is looked for.`;
  return { path: usual, file: await readYaml(usual), notes: [{ important: false, text: () => text }] };
}

/** One that is empty is not set. */
function variables(env: ConfigPlaces['env'], prefix: string): Setting[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && name !== `${prefix}CONFIG` && value?.trim())
    .map(([name, value]) => ({
      ...{ key: `docker.${name.slice(prefix.length).toLowerCase()}`, label: name, path: null, value },
    }));
}

function settingsOf(path: string, values: unknown, known: Counterparts): Setting[] {
  const groups = new Set([...known.keys()].filter((key) => key.includes('.')).map((key) => key.split('.')[0]));
  return entriesOf(values).flatMap(([group, value]): Setting[] => {
    if (!groups.has(group)) return [{ key: group, label: group, path, value }];
    return entriesOf(value).map(([key, inner]) => ({
      ...{ key: `${group}.${key}`, label: `${group}.${key}`, path, value: inner },
    }));
  });
}

function sourceOf({ key, label, path, value }: Setting, known: Counterparts): OptionSource[] {
  const counterpart = known.get(key);
  if (!counterpart || !('key' in counterpart) || value === null) return [];
  const converted = counterpart.convert ? counterpart.convert(value) : value;
  return [{ name: nameOf({ label, path }), values: { [counterpart.key]: converted }, text: true }];
}

function notesOf(settings: readonly Setting[], program: string, known: Counterparts): PendingNote[] {
  return settings.flatMap((setting): PendingNote[] => {
    const counterpart = known.get(setting.key);
    const name = nameOf(setting);
    if (!counterpart) return [{ important: false, text: () => `${name} is not known as a setting of ${program}.` }];
    if ('key' in counterpart || isEmpty(setting.value)) return [];
    const { why, important = false } = counterpart;
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

const WORDS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
};

/** As those programs and their files spell it, in any case; what is none stays as it is. */
function booleanOf(value: unknown): unknown {
  const word = String(value).trim().toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : value;
}

function negated(value: unknown): unknown {
  return typeof value === 'boolean' ? !value : value;
}
