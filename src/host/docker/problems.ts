import { messageOf } from '../../base/log.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';

/** The code of an error from Docker: an HTTP status, a system error code, or neither. */
export interface Failure {
  readonly status: number | null;
  readonly code: string | null;
  readonly text: string;
}

/** Reads an error of dockerode or Node. */
export function failureOf(error: unknown): Failure {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return {
    status: typeof status === 'number' ? status : null,
    code: typeof code === 'string' ? code : null,
    text: dockerText(error),
  };
}

/** The answer to an inspection, or null when Docker has no container or image of that name. */
export async function unlessGone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (failureOf(error).status === 404) return null;
    throw error;
  }
}

/** Docker's own message, without what the client adds. */
function dockerText(error: unknown): string {
  const json = error instanceof Error && 'json' in error ? error.json : null;
  const message = typeof json === 'object' && json !== null && 'message' in json ? json.message : null;
  return (typeof message === 'string' ? message : messageOf(error)).trim();
}

/** The problem of a failed call to Docker at `address`; `doing` names the call, for example `create a container`. */
export function problemOf(error: unknown, address: string, doing: string): Problem {
  if (error instanceof HostError) return error.problem;
  const failure = failureOf(error);
  if (failure.code !== null && failure.status === null) return connectionProblem(failure, address);
  return exhausted(failure.text) ?? refused(failure, address, doing);
}

/** Whether Docker itself cannot be used now, so that it must be searched for again. */
export function isConnectionProblem({ kind }: Problem): boolean {
  return kind === 'host_stopped' || kind === 'host_missing' || kind === 'host_hung' || kind === 'permission_denied';
}

function connectionProblem({ code, text }: Failure, address: string): Problem {
  if (code === 'EACCES' || code === 'EPERM') return denied(address);
  if (code === 'ENOSPC') return diskFull(text);
  return {
    kind: 'host_stopped',
    message: `The Docker Engine at ${address} cannot be reached (${code}).`,
    advice: 'Start it, or name another one with the option docker.host.',
  };
}

/** Only its group may open Docker's socket. */
function denied(address: string): Problem {
  return {
    kind: 'permission_denied',
    message: `This user may not open the Docker Engine's socket at ${address}.`,
    advice: 'Add the user to the group docker, then log in again.',
    command: 'sudo usermod -aG docker $USER',
  };
}

/** Docker did not answer in time. */
export function hung(address: string, doing: string, ms: number): Problem {
  return {
    kind: 'host_hung',
    message: `The Docker Engine at ${address} did not answer within ${Math.round(ms / 1000)} s (${doing}).`,
    advice: 'If this continues, restart the Docker Engine.',
  };
}

/** The caller cancelled the call. */
export function cancelled(): Problem {
  return { kind: 'cancelled', message: 'The call to the Docker Engine was cancelled.', advice: 'Try again.' };
}

// The Engine API reports a full disk and a lack of memory as status 500 with the system's text and no code.
function exhausted(text: string): Problem | null {
  if (/no space left on device/i.test(text)) return diskFull(text);
  if (/cannot allocate memory/i.test(text)) {
    return {
      kind: 'no_memory',
      message: `The Docker Engine's machine is out of memory: ${text}`,
      advice: 'Close something large, or lower the option pool.size or the option limits.memoryMb.',
    };
  }
  return null;
}

function diskFull(text: string): Problem {
  return {
    kind: 'disk_full',
    message: `The Docker Engine's disk is full: ${text}`,
    advice: 'Free some space, for example by removing images and containers that nothing uses.',
    command: 'docker system prune',
  };
}

function refused({ status, text }: Failure, address: string, doing: string): Problem {
  const specRefused = status === 400 || status === 409;
  return {
    kind: specRefused ? 'spec_refused' : 'host_failed',
    message: `The Docker Engine at ${address} could not ${doing}: ${text}`,
    advice: specRefused
      ? 'Check the limits of sandboxes and the option docker.runtime.'
      : "See the Docker Engine's own log for more.",
  };
}
