import type { Problem } from '../problem.ts';
import type { MachineFacts } from './facts.ts';

/** A place that was tried, and what was wrong with it. */
export interface Tried {
  readonly host: string;
  readonly source: string | null;
  readonly problem: Problem | 'absent';
}

/** The one problem to tell when no engine answered: the one nearest to a working engine, with all that was tried. */
export function unreachable(tried: readonly Tried[], facts: MachineFacts): Problem {
  const named = tried.length === 1 && tried[0]?.source ? tried[0] : null;
  const told = tried.map(({ problem }) => problem).filter((problem) => problem !== 'absent');
  const nearest = told.toSorted((a, b) => rank(a) - rank(b))[0];
  if (nearest) return nearest.kind === 'host_stopped' ? { ...nearest, ...startAdvice(facts) } : nearest;
  if (named) return namedAbsent(named, facts);
  return facts.installed ? stopped(tried, facts) : missing(tried, facts);
}

const NEAREST = ['host_hung', 'permission_denied', 'host_too_old', 'host_stopped'];

function rank({ kind }: Problem): number {
  const at = NEAREST.indexOf(kind);
  return at === -1 ? NEAREST.length : at;
}

function namedAbsent({ host, source }: Tried, facts: MachineFacts): Problem {
  const message = `Nothing listens at ${host || 'the engine'} that ${source} names.`;
  return facts.installed
    ? { kind: 'host_stopped', message, ...startAdvice(facts) }
    : { kind: 'host_missing', message, ...installAdvice(facts) };
}

function stopped(tried: readonly Tried[], facts: MachineFacts): Problem {
  return {
    kind: 'host_stopped',
    message: `Docker is installed but not running: nothing listens at ${places(tried)}.`,
    ...startAdvice(facts),
  };
}

function missing(tried: readonly Tried[], facts: MachineFacts): Problem {
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

function startAdvice({ platform, systemd, root }: MachineFacts): Advice {
  if (platform === 'darwin') return { advice: 'Start Docker Desktop.', command: 'open -a Docker' };
  if (platform === 'win32') return { advice: 'Start Docker Desktop.' };
  const start = systemd ? 'systemctl start docker' : 'service docker start';
  return { advice: 'Start the Docker Engine.', command: root ? start : `sudo ${start}` };
}

function installAdvice({ platform, apt, root }: MachineFacts): Advice {
  if (platform === 'linux' && apt) {
    const install = 'apt-get install -y docker.io';
    return { advice: 'Install the Docker Engine.', command: root ? install : `sudo ${install}` };
  }
  return { advice: 'Install Docker or Podman, then try again.' };
}
