import { messageOf } from '../../base/log.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';

/** A container engine in messages; of Podman's usual sockets it is known before it answers. */
export function engineAt(address: string, isPodman = /podman/.test(address)): string {
  return `${isPodman ? 'Podman' : 'The Docker Engine'} at ${address}`;
}

/** The code of an error from Docker: an HTTP status, a system error code, or neither. */
export interface Failure {
  readonly status: number | null;
  readonly code: string | null;
  readonly text: string;
  /** Podman's last cause, such as `OCI permission denied`; null for Docker. */
  readonly cause: string | null;
}

/** Reads an error of dockerode or Node. */
export function failureOf(error: unknown): Failure {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return {
    status: typeof status === 'number' ? status : null,
    code: typeof code === 'string' ? code : null,
    text: dockerText(error),
    cause: answerText(error, 'cause'),
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
  return (answerText(error, 'message') ?? messageOf(error)).trim();
}

/** A text of the engine's answer. */
function answerText(error: unknown, key: 'message' | 'cause'): string | null {
  const json = error instanceof Error && 'json' in error ? error.json : null;
  const text: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, key) : null;
  return typeof text === 'string' ? text : null;
}

/**
 * The problem of a failed call to an engine, as `The Docker Engine at unix:///s`; `doing` names the call, for example
 * `create a container`.
 */
export function problemOf(error: unknown, engine: string, doing: string): Problem {
  if (error instanceof HostError) return error.problem;
  const failure = failureOf(error);
  if (failure.code !== null && failure.status === null) return connectionProblem(failure, engine);
  return exhausted(failure.text) ?? refused(failure, engine, doing);
}

/** Whether Docker itself cannot be used now, so that it must be searched for again. */
export function isConnectionProblem({ kind }: Problem): boolean {
  return kind === 'host_stopped' || kind === 'host_missing' || kind === 'host_hung' || kind === 'permission_denied';
}

function connectionProblem({ code, text }: Failure, engine: string): Problem {
  if (code === 'EACCES') return denied(engine);
  if (code === 'EPERM') return forbidden(engine);
  if (code === 'ENOSPC') return diskFull(text);
  return {
    kind: 'host_stopped',
    message: `${engine} cannot be reached (${code}).`,
    advice: 'Start it, or name another one with the option docker.host.',
  };
}

/** Only its group may open Docker's socket; the socket of root's Podman is for root alone. */
function denied(engine: string): Problem {
  if (engine.startsWith('Podman')) {
    return {
      kind: 'permission_denied',
      message: `This user may not open the socket of ${engine}.`,
      advice: 'Start a Podman service of this user, which needs no rights of root.',
      command: 'systemctl --user start podman.socket',
    };
  }
  return {
    kind: 'permission_denied',
    message: `This user may not open the socket of ${engine.replace(/^The /, 'the ')}.`,
    advice: 'Add the user to the group docker, then log in again.',
    command: 'sudo usermod -aG docker $USER',
  };
}

/** The rights of a socket's file are another error: this one comes of a filter of system calls, or of a sandbox of macOS. */
function forbidden(engine: string): Problem {
  return {
    kind: 'permission_denied',
    message: `A sandbox around Hothouse forbids connections to ${engine.replace(/^The /, 'the ')}.`,
    advice: 'Start Hothouse without that sandbox; in the mcp.json of VS Code, remove "sandboxEnabled".',
  };
}

/** Docker did not answer in time. */
export function hung(engine: string, doing: string, ms: number): Problem {
  return {
    kind: 'host_hung',
    message: `${engine} did not answer within ${Math.round(ms / 1000)} s (${doing}).`,
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

/** Docker, or a step of a build, cannot write: `text` is the reason as it was given. */
export function diskFull(text: string): Problem {
  return {
    kind: 'disk_full',
    message: `The Docker Engine's disk is full: ${text}`,
    advice: 'Free some space, for example by removing images, containers and build caches that nothing uses.',
    command: 'docker system prune',
  };
}

function refused({ status, text, cause }: Failure, engine: string, doing: string): Problem {
  // Podman answers 500 where a container cannot be what it is to be, and names the cause.
  const byPodman = cause !== null && /^(OCI |invalid )/.test(cause);
  const specRefused = status === 400 || status === 409 || byPodman;
  return {
    kind: specRefused ? 'spec_refused' : 'host_failed',
    message: `${engine} could not ${doing}: ${text}`,
    advice: specRefused
      ? 'Check the limits of sandboxes and the option docker.runtime.'
      : "See the container engine's own log for more.",
  };
}
