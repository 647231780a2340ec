import { join } from 'node:path';
import { currentContext, type DockerContext, readContext } from './contexts.ts';

/** What decides where an engine is looked for. */
export interface Surroundings {
  /** The option `docker.host`; empty means: find it. */
  readonly host: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** A place where an engine may listen. */
export interface Candidate {
  /** As in DOCKER_HOST. */
  readonly host: string;
  /** Who named it, for messages: `DOCKER_HOST`, `docker context "x"`; null for a usual place. */
  readonly source: string | null;
  /** Ask for TLS over TCP. */
  readonly secure: boolean;
  /** Folder with the TLS certificates. */
  readonly certificates: string;
}

/** Where to look, best first. An engine that the user named is the only one tried: another would surprise. */
export async function candidates(around: Surroundings): Promise<Candidate[]> {
  const named = await namedCandidate(around);
  if (named) return [named];
  const current = await currentContext(dockerFolder(around));
  const context = current ? await readContext(dockerFolder(around), current) : null;
  const usual = usualPlaces(around).map((host) => candidate(around, host, null));
  return context ? [contextCandidate(context), ...usual] : usual;
}

async function namedCandidate(around: Surroundings): Promise<Candidate | null> {
  const { DOCKER_HOST: host, DOCKER_CONTEXT: name } = around.env;
  if (around.host) return candidate(around, around.host, 'the setting docker.host');
  if (host) return candidate(around, host, 'DOCKER_HOST');
  if (!name || name === 'default') return null;
  const context = await readContext(dockerFolder(around), name);
  return context ? contextCandidate(context) : candidate(around, '', `docker context "${name}"`);
}

function candidate(around: Surroundings, host: string, source: string | null): Candidate {
  const { DOCKER_TLS_VERIFY: verify, DOCKER_CERT_PATH: certificates } = around.env;
  return { host, source, secure: !!verify, certificates: certificates || dockerFolder(around) };
}

function contextCandidate(context: DockerContext): Candidate {
  return {
    host: context.host,
    source: `docker context "${context.name}"`,
    secure: false,
    certificates: context.certificates,
  };
}

function dockerFolder({ env, home }: Surroundings): string {
  return env.DOCKER_CONFIG || join(home, '.docker');
}

function usualPlaces({ env, home, platform }: Surroundings): string[] {
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
