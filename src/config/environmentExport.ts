import type { EnvironmentRecord } from '../engine/environment/definition.ts';
import { packageName } from '../engine/packages/packageName.ts';
import { formatEnvironmentFile } from './environmentFile.ts';

/** A text that others can use without Hothouse; `withLock` selects exact versions. Null when an environment has none of it. */
type Format = (record: EnvironmentRecord, withLock: boolean) => string | null;

/** The forms in which an environment can be exported, by name. */
export const EXPORT_FORMATS: Readonly<Record<string, Format>> = {
  yaml: formatEnvironmentFile,
  requirements: formatRequirements,
  'package-json': formatPackageJson,
  dockerfile: formatDockerfile,
};

/** A requirements.txt; with the lock, with hashes for `pip install --require-hashes`. */
function formatRequirements({ packages, lock }: EnvironmentRecord, withLock: boolean): string | null {
  if (packages.pip.length === 0) return null;
  return withLock && lock.pip !== undefined ? lock.pip : lines(packages.pip);
}

/** A package.json; with the lock, its direct dependencies have their exact versions. */
function formatPackageJson({ name, packages, lock }: EnvironmentRecord, withLock: boolean): string | null {
  if (packages.npm.length === 0) return null;
  const exact = withLock ? npmVersions(lock.npm) : {};
  const pairs = packages.npm.map((entry) => {
    const key = packageName('npm', entry);
    return [key, exact[key] ?? (entry.slice(key.length + 1) || '*')];
  });
  return `${JSON.stringify({ name, private: true, dependencies: Object.fromEntries(pairs) }, null, 2)}\n`;
}

/** A Dockerfile that installs the same packages with their managers alone, on any image that has these. */
function formatDockerfile({ language, base, packages, variables, lock }: EnvironmentRecord, withLock: boolean): string {
  const apt = withLock && lock.apt !== undefined ? withoutDigests(lock.apt) : packages.apt;
  const pip = withLock && lock.pip !== undefined ? pipVersions(lock.pip) : packages.pip;
  const exact = withLock ? npmVersions(lock.npm) : {};
  const npm = packages.npm.map((entry) => {
    const name = packageName('npm', entry);
    return exact[name] === undefined ? entry : `${name}@${exact[name]}`;
  });
  const nuget = withLock && lock.nuget !== undefined ? withoutDigests(lock.nuget) : packages.nuget;
  const parts = [
    `ARG BASE=${base || `hothouse/${language}:latest`}`,
    'FROM $BASE',
    'USER root',
    step('apt-get update && apt-get install --yes --no-install-recommends', apt),
    step('pip install --no-cache-dir --break-system-packages', pip),
    step('npm install --prefix /', npm),
    ...nuget.map((entry) => `# ${entry} of NuGet: its assemblies belong into /usr/local/lib/nuget/lib.`),
    ...Object.entries(variables).map(([name, value]) =>
      value.includes('\n') ? `# ${name} has several lines, which ENV cannot set.` : `ENV ${name}=${quoted(value)}`,
    ),
  ];
  return lines(parts.filter((part) => part !== ''));
}

function step(command: string, entries: readonly string[]): string {
  if (entries.length === 0) return '';
  return [`RUN ${command}`, ...entries.map((entry) => `    '${entry.replaceAll("'", '"')}'`)].join(' \\\n');
}

/** For ENV, in which a dollar begins a variable and a backslash an escape. */
function quoted(value: string): string {
  return `"${value.replace(/[\\"$]/g, '\\$&')}"`;
}

/** The entries of a lock of apt or NuGet. */
function withoutDigests(lock: string): string[] {
  return lock
    .split('\n')
    .map((line) => line.replace(/ sha\d+:\w+$/, ''))
    .filter(Boolean);
}

function pipVersions(lock: string): string[] {
  const entries = lock.replace(/\\\r?\n/g, ' ').split('\n');
  return entries.map((line) => line.replace(/\s+--hash=\S+/g, '').trim()).filter((line) => !/^(?:#|$)/.test(line));
}

function npmVersions(lock: string | undefined): Record<string, string | undefined> {
  const parsed: { packages?: Record<string, { version?: string }> } = JSON.parse(lock ?? '{}');
  return Object.fromEntries(
    Object.entries(parsed.packages ?? {}).flatMap(([path, { version }]) =>
      path.lastIndexOf('node_modules/') === 0 ? [[path.slice('node_modules/'.length), version]] : [],
    ),
  );
}

function lines(entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join('');
}
