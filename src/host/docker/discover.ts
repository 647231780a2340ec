import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';
import { type Candidate, candidates, type DiscoveryEnvironment } from './candidates.ts';
import { type Connection, connect } from './connect.ts';
import { withDeadline } from './deadline.ts';
import { failureOf, hung, problemOf } from './problems.ts';
import { lookAtInstallation, type Tried, unreachable } from './unreachable.ts';

/** The oldest Engine API with every feature that a sandbox needs. */
const OLDEST_API = '1.40';
const ANSWER_MS = 5_000;

/** What discovery needs. */
export interface Search extends DiscoveryEnvironment {
  readonly clock: Clock;
  readonly log: Log;
}

/** The first Docker Engine that answers. Rejects with a `HostError` that lists what was tried. */
export async function discover(search: Search, signal?: AbortSignal): Promise<Connection> {
  const tried: Tried[] = [];
  for (const candidate of await candidates(search)) {
    const result = await attempt(candidate, search, signal);
    if ('connection' in result) return result.connection;
    search.log.debug(`${candidate.host}: ${result.problem === 'absent' ? 'nothing there' : result.problem.message}`);
    tried.push({ ...candidate, problem: result.problem });
  }
  throw new HostError(unreachable(tried, await lookAtInstallation(search)));
}

type Attempted = { readonly connection: Connection } | { readonly problem: Problem | 'absent' };

async function attempt(candidate: Candidate, search: Search, signal: AbortSignal | undefined): Promise<Attempted> {
  const connection = await connect(candidate, search.env).catch((error: unknown) => unusable(candidate, error));
  if (!connection) return { problem: malformed(candidate) };
  if (!('docker' in connection)) return { problem: connection };
  const problem = await verdict(connection, search.clock, signal);
  if (problem === null) return { connection };
  connection.dispose();
  return { problem };
}

async function verdict(
  { docker, host }: Connection,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Problem | 'absent' | null> {
  const late = (ms: number) => hung(host, 'a first question', ms);
  try {
    const { ApiVersion: api } = await withDeadline({ clock, ms: ANSWER_MS, late }, signal, () => docker.version());
    return lt(coerce(api) ?? '0.0.0', `${OLDEST_API}.0`) ? tooOld(host, api) : null;
  } catch (error) {
    if (signal?.aborted) throw error;
    return failureOf(error).code === 'ENOENT' ? 'absent' : problemOf(error, host, 'report its version');
  }
}

function tooOld(host: string, api: string): Problem {
  return {
    kind: 'host_too_old',
    message: `The Docker Engine at ${host} speaks API ${api}; ${OLDEST_API} or newer is needed.`,
    advice: 'Update Docker to version 19.03 or newer.',
  };
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
