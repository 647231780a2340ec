import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../problem.ts';
import type { DiscoveryEnvironment } from './candidates.ts';

/** An address that was tried, and its problem. */
export interface Tried {
  readonly host: string;
  readonly source: string | null;
  readonly problem: Problem | 'absent';
}

/**
 * The problem to report when no Docker Engine answered: the one closest to a working host, with every address tried.
 */
export function unreachable(tried: readonly Tried[], facts: Installation): Problem {
  const named = tried.length === 1 && tried[0]?.source ? tried[0] : null;
  const problems = tried.map(({ problem }) => problem).filter((problem) => problem !== 'absent');
  const nearest = problems.toSorted((a, b) => rank(a) - rank(b))[0];
  if (nearest) return nearest.kind === 'host_stopped' ? { ...nearest, ...startAdvice(facts) } : nearest;
  if (named) return namedAbsent(named, facts);
  if (facts.installed) return stopped(tried, facts);
  return facts.podman ? podmanStopped(tried, facts) : missing(tried, facts);
}

const NEAREST = ['host_hung', 'permission_denied', 'host_too_old', 'host_stopped'];

function rank({ kind }: Problem): number {
  const at = NEAREST.indexOf(kind);
  return at === -1 ? NEAREST.length : at;
}

function namedAbsent({ host, source }: Tried, facts: Installation): Problem {
  const message = `Nothing listens at ${host || 'the engine'}, which ${source} names.`;
  return facts.installed
    ? { kind: 'host_stopped', message, ...startAdvice(facts) }
    : { kind: 'host_missing', message, ...installAdvice(facts) };
}

function stopped(tried: readonly Tried[], facts: Installation): Problem {
  return {
    kind: 'host_stopped',
    message: `Docker is installed but not running: nothing listens at ${places(tried)}.`,
    ...startAdvice(facts),
  };
}

/** Podman needs no daemon, but other programs reach it only through its service. */
function podmanStopped(tried: readonly Tried[], { systemd, root }: Installation): Problem {
  return {
    kind: 'host_stopped',
    message: `Podman is installed, but its service is not running: nothing listens at ${places(tried)}.`,
    advice: 'Start the service of Podman.',
    command: systemd
      ? `systemctl ${root ? '' : '--user '}enable --now podman.socket`
      : 'podman system service --time=0 &',
  };
}

function missing(tried: readonly Tried[], facts: Installation): Problem {
  return {
    kind: 'host_missing',
    message: `No Docker Engine was found: nothing listens at ${places(tried)}.`,
    ...installAdvice(facts),
  };
}

function places(tried: readonly Tried[]): string {
  return tried.map(({ host }) => host).join(', ');
}

type Advice = Pick<Problem, 'advice' | 'command'>;

function startAdvice({ platform, systemd, root }: Installation): Advice {
  if (platform === 'darwin') return { advice: 'Start Docker Desktop.', command: 'open -a Docker' };
  if (platform === 'win32') return { advice: 'Start Docker Desktop.' };
  const start = systemd ? 'systemctl start docker' : 'service docker start';
  return { advice: 'Start the Docker Engine.', command: root ? start : `sudo ${start}` };
}

function installAdvice({ platform, apt, root }: Installation): Advice {
  if (platform === 'linux' && apt) {
    const install = 'apt-get install -y docker.io';
    return { advice: 'Install the Docker Engine.', command: root ? install : `sudo ${install}` };
  }
  return { advice: 'Install Docker or Podman, then try again.' };
}

/** What the advice about a missing Docker Engine depends on. */
export interface Installation {
  readonly platform: NodeJS.Platform;
  /** Docker is installed, whether or not it runs. */
  readonly installed: boolean;
  /** Podman is installed. */
  readonly podman: boolean;
  /** Packages are installed with apt. */
  readonly apt: boolean;
  readonly systemd: boolean;
  /** This process runs as root. */
  readonly root: boolean;
}

/** Looks at this machine. */
export async function lookAtInstallation({
  env,
  platform,
}: Pick<DiscoveryEnvironment, 'env' | 'platform'>): Promise<Installation> {
  const folders = [...(env.PATH ?? '').split(':').filter(Boolean), '/usr/sbin', '/usr/local/bin'];
  const [apt, systemd, docker, podman] = await Promise.all([
    exists('/etc/debian_version'),
    exists('/run/systemd/system'),
    someExist(folders.map((folder) => join(folder, 'dockerd'))),
    someExist(folders.map((folder) => join(folder, 'podman'))),
  ]);
  return {
    platform,
    installed: docker,
    podman,
    apt,
    systemd,
    root: process.getuid?.() === 0,
  };
}

async function someExist(paths: readonly string[]): Promise<boolean> {
  return (await Promise.all(paths.map(exists))).includes(true);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
