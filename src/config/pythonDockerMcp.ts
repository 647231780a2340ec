import { join } from 'node:path';
import type { OptionSource } from '../engine/resolveOptions.ts';
import type { ConfigPlaces, FoundSources } from './config.ts';
import { readYaml } from './yamlFile.ts';

/** A setting of python-docker-mcp in our words; undefined where its value changes nothing here. */
interface Counterpart {
  readonly key: string;
  readonly convert?: (value: unknown) => unknown;
}

const PREFIX = 'PYTHON_DOCKER_MCP_';

// Values that cannot be converted are handed on as they are: the schema then tells what it accepts.
const COUNTERPARTS: ReadonlyMap<string | null, Counterpart> = new Map<string | null, Counterpart>([
  ['image', { key: 'python.image' }],
  ['memory_limit', { key: 'limits.memoryMb', convert: megabytes }],
  ['cpu_limit', { key: 'limits.cpus' }],
  ['timeout', { key: 'limits.timeoutSeconds' }],
  ['network_disabled', { key: 'limits.network', convert: (value) => negated(value) }],
  ['read_only', { key: 'limits.readOnly' }],
  ['pool_size', { key: 'pool.size' }],
  ['pool_max_age', { key: 'pool.maxAgeSeconds' }],
  ['max_concurrent_creations', { key: 'pool.maxConcurrentCreations' }],
  ['pool_enabled', { key: 'pool.reuse', convert: (value) => (negated(value) === true ? 'never' : undefined) }],
]);

/** What python-docker-mcp is set up with, its variables before its file. */
export async function pythonDockerMcpSources(env: ConfigPlaces['env'], home: string): Promise<FoundSources> {
  const path = env[`${PREFIX}CONFIG`] || join(home, '.python-docker-mcp', 'config.yaml');
  const file = await readYaml(path);
  const settings = file.kind === 'values' ? settingsOf(path, file.values) : [];
  const { sources, strangers } = translate([...variables(env), ...settings]);
  return {
    sources,
    files: file.kind === 'values' ? [path] : [],
    problems: [...(file.kind === 'unreadable' ? [file.message] : []), ...strangers],
  };
}

interface Setting {
  readonly name: string;
  /** Their key in the `docker` group, or null for what is elsewhere. */
  readonly key: string | null;
  readonly value: unknown;
}

function variables(env: ConfigPlaces['env']): Setting[] {
  return Object.entries(env)
    .filter(([name]) => name.startsWith(PREFIX) && name !== `${PREFIX}CONFIG`)
    .map(([name, value]) => ({ name, key: name.slice(PREFIX.length).toLowerCase(), value }));
}

function settingsOf(path: string, values: unknown): Setting[] {
  return entriesOf(values).flatMap(([group, value]): Setting[] => {
    if (group !== 'docker') return [{ name: `${group} in ${path}`, key: null, value }];
    return entriesOf(value).map(([key, inner]) => ({ name: `docker.${key} in ${path}`, key, value: inner }));
  });
}

function translate(settings: readonly Setting[]): { sources: OptionSource[]; strangers: string[] } {
  const sources: OptionSource[] = [];
  const strangers: string[] = [];
  for (const { name, key, value } of settings) {
    const counterpart = COUNTERPARTS.get(key);
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

const MEGABYTES: Readonly<Record<string, number>> = { '': 1 / 1_048_576, b: 1 / 1_048_576, k: 1 / 1024, m: 1, g: 1024 };

function megabytes(value: unknown): unknown {
  const match = /^(\d+)([bkmg]?)b?$/i.exec(String(value).trim());
  const factor = MEGABYTES[match?.[2]?.toLowerCase() ?? 'none'];
  return factor === undefined ? value : Math.round(Number(match?.[1]) * factor);
}

function negated(value: unknown): unknown {
  return { true: false, '1': false, false: true, '0': true }[String(value).toLowerCase()] ?? value;
}
