import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a build needs to reach package indexes in the way that this machine does. */
export interface MachineBuildSettings {
  readonly buildArgs: Readonly<Record<string, string>>;
  /** For the build's context: path in it → text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Configuration texts of this machine; empty where it has none. */
export interface MachineTexts {
  /** Every file of apt's sources, one after the other. */
  readonly aptSources: string;
  /** One `Key "value";` a line. */
  readonly aptConfig: string;
  /** Every pip.conf, the strongest last. */
  readonly pipConfig: string;
  /** Every npmrc, the strongest last. */
  readonly npmConfig: string;
  /** Every NuGet.Config, the strongest first. */
  readonly nugetConfig: string;
  /** Trusted certificates as PEM, one file after the other. */
  readonly certificates: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads this machine's proxies, mirrors, package indexes and certificates; what cannot be read is left out. */
export async function machineBuildSettings(env: Env): Promise<MachineBuildSettings> {
  const home = env.HOME ?? homedir();
  const [aptSources, aptConfig, pipConfig, npmConfig, nugetConfig, certificates] = await Promise.all([
    aptSourceFiles().then(texts),
    commandOutput('apt-config', ['dump', '--format', '%F "%v";%n']),
    texts(['/etc/pip.conf', join(home, '.config/pip/pip.conf'), join(home, '.pip/pip.conf'), env.PIP_CONFIG_FILE]),
    texts(['/etc/npmrc', '/usr/etc/npmrc', join(home, '.npmrc'), env.NPM_CONFIG_USERCONFIG]),
    texts([join(home, '.nuget/NuGet/NuGet.Config'), join(home, '.config/NuGet/NuGet.Config')]),
    texts(certificateFiles(env)),
  ]);
  return buildSettings(env, { aptSources, aptConfig, pipConfig, npmConfig, nugetConfig, certificates });
}

/** The settings that follow from a machine's environment variables and files. */
export function buildSettings(env: Env, facts: MachineTexts): MachineBuildSettings {
  const files = {
    'machine/apt.conf': aptSettings(facts.aptConfig),
    'machine/ca-certificates.crt': facts.certificates,
    'machine/pip.conf': section('[global]', pipSettings(env, facts.pipConfig)),
    'machine/npmrc': section('', { registry: env.npm_config_registry ?? iniValue(facts.npmConfig, 'registry') }),
    'machine/nuget.index': nugetIndex(facts.nugetConfig),
  };
  return {
    buildArgs: present({
      ...proxies(env),
      APT_MIRROR: mirror(facts.aptSources, 'debian'),
      APT_SECURITY_MIRROR: mirror(facts.aptSources, 'debian-security'),
    }),
    files: present(files),
  };
}

function proxies(env: Env): Record<string, string | undefined> {
  const both = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map((upper) => {
    const lower = upper.toLowerCase();
    const value = env[lower] ?? env[upper];
    // Some programs read one spelling only: apt the lower, others the upper.
    return { [upper]: value, [lower]: value };
  });
  return Object.assign({}, ...both);
}

/** The mirror of an archive in the machine's apt sources. */
function mirror(sources: string, archive: string): string | undefined {
  const addresses = sources
    .split('\n')
    .filter((line) => /^\s*(deb\s|uris:)/i.test(line))
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => URL.canParse(word))
    .map((word) => word.replace(/\/+$/, ''));
  return addresses.find((address) => new URL(address).pathname.endsWith(`/${archive}`));
}

/** The apt settings that decide how an archive is reached and trusted. */
function aptSettings(config: string): string {
  return config
    .split('\n')
    .filter((line) => /^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date|Retries)(::\S+)? "[^"]+";$/.test(line))
    .map((line) => `${line}\n`)
    .join('');
}

function pipSettings(env: Env, config: string): Record<string, string | undefined> {
  return {
    'index-url': env.PIP_INDEX_URL ?? iniValue(config, 'index-url'),
    'extra-index-url': env.PIP_EXTRA_INDEX_URL ?? iniValue(config, 'extra-index-url'),
    'trusted-host': env.PIP_TRUSTED_HOST ?? iniValue(config, 'trusted-host'),
  };
}

/** The first package source with an address of the protocol's version 3. */
function nugetIndex(config: string): string {
  const [sources = ''] = /<packageSources>[\s\S]*?<\/packageSources>/i.exec(config) ?? [];
  const [, address = ''] = /<add\b[^>]*\bvalue="(https?:\/\/[^"\s]+\/index\.json)"/i.exec(sources) ?? [];
  return address && `${address.replaceAll('&amp;', '&')}\n`;
}

/** The last value that a key gets in a text of `key = value` lines. */
function iniValue(text: string, key: string): string | undefined {
  const values = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    return name?.replaceAll('_', '-') === key && value ? [value] : [];
  });
  return values.at(-1);
}

function section(head: string, values: Record<string, string | undefined>): string {
  const lines = Object.entries(present(values)).map(([key, value]) => `${key} = ${value}`);
  return lines.length === 0 ? '' : `${[head, ...lines].filter(Boolean).join('\n')}\n`;
}

function present(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

function certificateFiles(env: Env): (string | undefined)[] {
  const bundle = env.SSL_CERT_FILE ?? '/etc/ssl/certs/ca-certificates.crt';
  return [...new Set([bundle, env.NODE_EXTRA_CA_CERTS, env.PIP_CERT, env.REQUESTS_CA_BUNDLE])];
}

async function aptSourceFiles(): Promise<string[]> {
  const folder = '/etc/apt/sources.list.d';
  const names = await readdir(folder).catch(() => []);
  const sources = names.filter((name) => /\.(list|sources)$/.test(name)).sort();
  return ['/etc/apt/sources.list', ...sources.map((name) => join(folder, name))];
}

async function texts(paths: readonly (string | undefined)[]): Promise<string> {
  const read = paths.map((path) => (path ? readFile(path, 'utf8').catch(() => '') : ''));
  return (await Promise.all(read)).filter(Boolean).join('\n');
}

async function commandOutput(command: string, args: string[]): Promise<string> {
  const done = promisify(execFile)(command, args, { timeout: 10_000 });
  return done.then(({ stdout }) => stdout).catch(() => '');
}
