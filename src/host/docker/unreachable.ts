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
  return facts.installed ? stopped(tried, facts) : missing(tried, facts);
}

const NEAREST = ['host_hung', 'permission_denied', 'host_too_old', 'host_stopped'];

function rank({ kind }: Problem): number {
  const at = NEAREST.indexOf(kind);
  return at === -1 ? NEAREST.length : at;
}

function namedAbsent({ host, source }: Tried, facts: Installation): Problem {
  const message = `Nothing listens at ${host || 'the engine'} that ${source} names.`;
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
  const [apt, systemd, ...programs] = await Promise.all(
    ['/etc/debian_version', '/run/systemd/system', ...folders.map((folder) => join(folder, 'dockerd'))].map(exists),
  );
  return {
    platform,
    installed: programs.includes(true),
    apt: apt === true,
    systemd: systemd === true,
    root: process.getuid?.() === 0,
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
