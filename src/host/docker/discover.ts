import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';
import { type Candidate, candidates, type DiscoveryEnvironment } from './candidates.ts';
import { type Connection, connect } from './connect.ts';
import { withDeadline } from './deadline.ts';
import { type DockerVersion, isPodman } from './info.ts';
import { engineAt, failureOf, hung, problemOf } from './problems.ts';
import { lookAtInstallation, type Tried, unreachable } from './unreachable.ts';

/** The oldest Engine API with every feature that a sandbox needs. */
const OLDEST_API = '1.40';
/** The oldest Podman whose own API is the one that containers are created with. */
const OLDEST_PODMAN = '4.0';
const ANSWER_MS = 5_000;

/** What discovery needs. */
export interface Search extends DiscoveryEnvironment {
  readonly clock: Clock;
  readonly log: Log;
}

/** A connection to an engine that has answered. */
export interface Found extends Connection {
  /** Podman in place of Docker. */
  readonly isPodman: boolean;
}

/** The first Docker Engine or Podman that answers. Rejects with a `HostError` that lists what was tried. */
export async function discover(search: Search, signal?: AbortSignal): Promise<Found> {
  const tried: Tried[] = [];
  for (const candidate of await candidates(search)) {
    const result = await attempt(candidate, search, signal);
    if ('found' in result) return result.found;
    search.log.debug(`${candidate.host}: ${result.problem === 'absent' ? 'nothing there' : result.problem.message}`);
    tried.push({ ...candidate, problem: result.problem });
  }
  throw new HostError(unreachable(tried, await lookAtInstallation(search)));
}

type Attempted = { readonly found: Found } | { readonly problem: Problem | 'absent' };

async function attempt(candidate: Candidate, search: Search, signal: AbortSignal | undefined): Promise<Attempted> {
  const connection = await connect(candidate, search.env).catch((error: unknown) => unusable(candidate, error));
  if (!connection) return { problem: malformed(candidate) };
  if (!('docker' in connection)) return { problem: connection };
  const answer = await firstAnswer(connection, search.clock, signal);
  if ('version' in answer) {
    const { version } = answer;
    const problem = tooOld(connection.host, version);
    if (problem === null) return { found: { ...connection, isPodman: isPodman(version) } };
    connection.dispose();
    return { problem };
  }
  connection.dispose();
  return answer;
}

type Answer = { readonly version: DockerVersion } | { readonly problem: Problem | 'absent' };

async function firstAnswer(
  { docker, host }: Connection,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const late = (ms: number) => hung(engineAt(host), 'a first question', ms);
  try {
    return { version: await withDeadline({ clock, ms: ANSWER_MS, late }, signal, () => docker.version()) };
  } catch (error) {
    if (signal?.aborted) throw error;
    const absent = failureOf(error).code === 'ENOENT';
    return { problem: absent ? 'absent' : problemOf(error, engineAt(host), 'report its version') };
  }
}

/** Null when it is new enough. */
function tooOld(host: string, version: DockerVersion): Problem | null {
  const { ApiVersion: api, Version: own = '0' } = version;
  if (isPodman(version)) return olderThan(own, OLDEST_PODMAN) ? oldPodman(host, own) : null;
  if (!olderThan(api, OLDEST_API)) return null;
  return {
    kind: 'host_too_old',
    message: `The Docker Engine at ${host} speaks API ${api}; ${OLDEST_API} or newer is needed.`,
    advice: 'Update Docker to version 19.03 or newer.',
  };
}

function oldPodman(host: string, version: string): Problem {
  return {
    kind: 'host_too_old',
    message: `Podman at ${host} has version ${version}; ${OLDEST_PODMAN} or newer is needed.`,
    advice: `Update Podman to version ${OLDEST_PODMAN} or newer.`,
  };
}

function olderThan(version: string, oldest: string): boolean {
  return lt(coerce(version) ?? '0.0.0', `${oldest}.0`);
}

function malformed({ host, source }: Candidate): Problem {
  const what = host ? `${source ?? 'A usual place'} is "${host}"` : `${source} names no engine`;
  return {
    kind: 'host_missing',
    message: `${what}; an address such as unix:///var/run/docker.sock or tcp://localhost:2375 is needed.`,
    advice: 'Correct it, or leave it empty to have Docker found.',
  };
}

function unusable({ host, certificates }: Candidate, error: unknown): Problem {
  const { code, text } = failureOf(error);
  return {
    kind: 'host_missing',
    message: `The certificates for ${host} cannot be read from ${certificates} (${code ?? text}).`,
    advice: 'Set DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem.',
  };
}
