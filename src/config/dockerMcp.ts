import { join } from 'node:path';
import type { OptionSource } from '../engine/resolveOptions.ts';
import type { ConfigPlaces, FoundSources } from './config.ts';
import { readYaml } from './yamlFile.ts';

/** A setting of another program in our words. */
export interface Counterpart {
  readonly key: string;
  /** The value in our units; undefined where it changes nothing here. */
  readonly convert?: (value: unknown) => unknown;
}

/** A program whose configuration is understood. */
export interface OtherProgram {
  /** As its folder and its variables spell it: `python-docker-mcp`. */
  readonly name: string;
  /** `group.key` of its file → what it is here. */
  readonly counterparts: Readonly<Record<string, Counterpart>>;
}

/** What is the same in both programs. Values that cannot be converted are handed on: the schema tells what it accepts. */
export const SHARED_COUNTERPARTS: Readonly<Record<string, Counterpart>> = {
  'docker.cpu_limit': { key: 'limits.cpus' },
  'docker.timeout': { key: 'limits.timeoutSeconds' },
  'docker.network_disabled': { key: 'limits.network', convert: (value) => negated(value) },
  'docker.read_only': { key: 'limits.readOnly' },
  'docker.pool_size': { key: 'pool.size' },
  'docker.pool_max_age': { key: 'pool.maxAgeSeconds' },
  'docker.max_concurrent_creations': { key: 'pool.maxConcurrentCreations' },
  'docker.pool_enabled': { key: 'pool.reuse', convert: (value) => (negated(value) === true ? 'never' : undefined) },
};

/** What another program is set up with, its variables before its file. */
export async function sourcesOf(
  { name, counterparts }: OtherProgram,
  env: ConfigPlaces['env'],
  home: string,
): Promise<FoundSources> {
  const prefix = `${name.replaceAll('-', '_').toUpperCase()}_`;
  const path = env[`${prefix}CONFIG`] || join(home, `.${name}`, 'config.yaml');
  const file = await readYaml(path);
  const known = new Map(Object.entries(counterparts));
  const settings = file.kind === 'values' ? settingsOf(path, file.values, known) : [];
  const { sources, strangers } = translate([...variables(env, prefix), ...settings], known);
  return {
    sources,
    files: file.kind === 'values' ? [path] : [],
    problems: [...(file.kind === 'unreadable' ? [file.message] : []), ...strangers],
  };
}

/** Docker's spelling of an amount of memory in MB; what is none stays as it is. */
export function megabytes(value: unknown): unknown {
  const match = /^(\d+)([bkmg]?)b?$/i.exec(String(value).trim());
  const factor = MEGABYTES[match?.[2]?.toLowerCase() ?? 'none'];
  return factor === undefined ? value : Math.round(Number(match?.[1]) * factor);
}

const MEGABYTES: Readonly<Record<string, number>> = { '': 1 / 1_048_576, b: 1 / 1_048_576, k: 1 / 1024, m: 1, g: 1024 };

type Counterparts = ReadonlyMap<string, Counterpart>;

interface Setting {
  /** For people. */
  readonly name: string;
  readonly key: string;
  readonly value: unknown;
}

function variables(env: ConfigPlaces['env'], prefix: string): Setting[] {
  return Object.entries(env)
    .filter(([name]) => name.startsWith(prefix) && name !== `${prefix}CONFIG`)
    .map(([name, value]) => ({ name, key: `docker.${name.slice(prefix.length).toLowerCase()}`, value }));
}

function settingsOf(path: string, values: unknown, known: Counterparts): Setting[] {
  const groups = new Set([...known.keys()].map((key) => key.split('.')[0]));
  return entriesOf(values).flatMap(([group, value]): Setting[] => {
    if (!groups.has(group)) return [{ name: `${group} in ${path}`, key: group, value }];
    return entriesOf(value).map(([key, inner]) => ({
      name: `${group}.${key} in ${path}`,
      key: `${group}.${key}`,
      value: inner,
    }));
  });
}

function translate(
  settings: readonly Setting[],
  known: Counterparts,
): { readonly sources: OptionSource[]; readonly strangers: string[] } {
  const sources: OptionSource[] = [];
  const strangers: string[] = [];
  for (const { name, key, value } of settings) {
    const counterpart = known.get(key);
    if (!counterpart) strangers.push(`${name} has no counterpart here and was passed over.`);
    else sources.push({ name, values: { [counterpart.key]: converted(counterpart, value) }, text: true });
  }
  return { sources, strangers };
}

function converted({ convert }: Counterpart, value: unknown): unknown {
  return convert ? convert(value) : value;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function negated(value: unknown): unknown {
  return { true: false, '1': false, false: true, '0': true }[String(value).toLowerCase()] ?? value;
}
