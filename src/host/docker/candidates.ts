import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the search for Docker depends on. */
export interface DiscoveryEnvironment {
  /** The option `docker.host`; empty means: find it. */
  readonly host: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** A place where Docker may listen. */
export interface Candidate {
  /** As in DOCKER_HOST. */
  readonly host: string;
  /** What named it, for messages: `DOCKER_HOST`, `docker context "x"`; null for a default socket. */
  readonly source: string | null;
  /** Ask for TLS over TCP. */
  readonly secure: boolean;
  /** Folder with the TLS certificates. */
  readonly certificates: string;
}

/** Where to look, best first. An address that the user named is the only one: sandboxes must not run elsewhere. */
export async function candidates(environment: DiscoveryEnvironment): Promise<Candidate[]> {
  const named = await namedCandidate(environment);
  if (named) return [named];
  const current = await currentContext(dockerFolder(environment));
  const context = current ? await readContext(dockerFolder(environment), current) : null;
  const usual = defaultSockets(environment).map((host) => candidate(environment, host, null));
  return context ? [contextCandidate(context), ...usual] : usual;
}

async function namedCandidate(environment: DiscoveryEnvironment): Promise<Candidate | null> {
  const { DOCKER_HOST: host, DOCKER_CONTEXT: name } = environment.env;
  if (environment.host) return candidate(environment, environment.host, 'the option docker.host');
  if (host) return candidate(environment, host, 'DOCKER_HOST');
  if (!name || name === 'default') return null;
  const context = await readContext(dockerFolder(environment), name);
  return context ? contextCandidate(context) : candidate(environment, '', `docker context "${name}"`);
}

function candidate(environment: DiscoveryEnvironment, host: string, source: string | null): Candidate {
  const { DOCKER_TLS_VERIFY: verify, DOCKER_CERT_PATH: certificates } = environment.env;
  return { host, source, secure: !!verify, certificates: certificates || dockerFolder(environment) };
}

function contextCandidate(context: NamedContext): Candidate {
  return {
    host: context.host,
    source: `docker context "${context.name}"`,
    secure: false,
    certificates: context.certificates,
  };
}

function dockerFolder({ env, home }: DiscoveryEnvironment): string {
  return env.DOCKER_CONFIG || join(home, '.docker');
}

function defaultSockets({ env, home, platform }: DiscoveryEnvironment): string[] {
  if (platform === 'win32') return ['npipe:////./pipe/docker_engine', 'npipe:////./pipe/podman-machine-default'];
  const runtime = env.XDG_RUNTIME_DIR;
  return [
    '/var/run/docker.sock',
    ...(runtime ? [join(runtime, 'docker.sock')] : []),
    join(home, '.docker/run/docker.sock'),
    join(home, '.colima/default/docker.sock'),
    join(home, '.rd/docker.sock'),
    ...(runtime ? [join(runtime, 'podman/podman.sock')] : []),
    '/run/podman/podman.sock',
  ].map((path) => `unix://${path}`);
}

/** A context of the docker command line: a name for a Docker Engine's address. */
export interface NamedContext {
  readonly name: string;
  readonly host: string;
  /** Folder with `ca.pem`, `cert.pem` and `key.pem`, for addresses that use TLS. */
  readonly certificates: string;
}

/** The name of the context that `~/.docker/config.json` makes current, or null for docker's own default. */
async function currentContext(folder: string): Promise<string | null> {
  const name = property(await readJson(join(folder, 'config.json')), 'currentContext');
  return typeof name === 'string' && name !== '' && name !== 'default' ? name : null;
}

/** The context of that name in docker's folder, or null when there is none or it names no engine. */
async function readContext(folder: string, name: string): Promise<NamedContext | null> {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = await readJson(join(folder, 'contexts', 'meta', id, 'meta.json'));
  const host = property(property(property(meta, 'Endpoints'), 'docker'), 'Host');
  if (typeof host !== 'string' || host === '') return null;
  return { name, host, certificates: join(folder, 'contexts', 'tls', id, 'docker') };
}

/** The JSON in a file; undefined when it cannot be read, since a broken context must not hide a working socket. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
