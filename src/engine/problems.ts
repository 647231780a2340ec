import { messageOf } from '../base/log.ts';
import { HostError } from '../host/host.ts';
import type { Grant } from '../pool/lease.ts';
import type { EngineProblem } from './types.ts';

/** What is wrong, from anything that a host or a sandbox rejected with. */
export function problemOf(error: unknown): EngineProblem {
  if (error instanceof HostError) return error.problem;
  return {
    kind: 'host_failed',
    message: `A sandbox could not be made: ${messageOf(error)}.`,
    advice: 'Run it again; if it fails again, look into the log.',
  };
}

/** Why a lease was not granted. */
export function refusalOf(grant: Exclude<Grant, { kind: 'granted' }>): EngineProblem {
  if (grant.kind === 'failed') return problemOf(grant.cause);
  if (grant.kind === 'overloaded') return overloaded('Too many runs wait for a sandbox already.');
  if (grant.kind === 'stuck') return stuck();
  if (grant.kind === 'closed') return engineClosed();
  return cancelled();
}

export function cancelled(): EngineProblem {
  return { kind: 'cancelled', message: 'It was cancelled before it began.', advice: 'Run it again.' };
}

export function overloaded(message: string): EngineProblem {
  return { kind: 'overloaded', message, advice: 'Wait until some have ended and run it again.' };
}

function stuck(): EngineProblem {
  return {
    kind: 'host_failed',
    message: 'No sandbox can be started: earlier ones could not be removed and take every place.',
    advice: 'Wait until they are gone, or restart the Docker Engine.',
  };
}

export function engineClosed(): EngineProblem {
  return { kind: 'engine_closed', message: 'Hothouse is shutting down.', advice: 'Start it again and run it there.' };
}

/** `known` are the ids of the languages that there are. */
export function unknownLanguage(given: unknown, known: readonly string[]): EngineProblem {
  return {
    kind: 'unknown_language',
    message: `There is no language ${JSON.stringify(given)}.`,
    advice: `Use one of: ${known.join(', ')}.`,
  };
}

export function invalidRequest(message: string, advice: string): EngineProblem {
  return { kind: 'invalid_request', message, advice };
}

/** `what` is the subject, for example `The code`. */
export function tooLarge(what: string, bytes: number, limit: number): EngineProblem {
  return {
    kind: 'too_large',
    message: `${what} has ${bytes} bytes; at most ${limit} are accepted.`,
    advice: 'Send less.',
  };
}

/** `open` are the ids of the open sessions. */
export function unknownSession(id: string, open: readonly string[]): EngineProblem {
  const others = open.length > 0 ? ` Open sessions: ${open.slice(0, 10).join(', ')}.` : '';
  return {
    kind: 'unknown_session',
    message: `There is no session ${JSON.stringify(id)}.${others}`,
    advice: 'Use the id that opening a session gave, or open a new one.',
  };
}

/** `reason` as in `it ran out of memory`. */
export function endedSession(id: string, reason: string, restartable: boolean): EngineProblem {
  return {
    kind: 'unknown_session',
    message: `Session ${id} has ended: ${reason}.`,
    advice: restartable ? 'Restart it or open a new one.' : 'Open a new one.',
  };
}

export function sessionLimit(max: number): EngineProblem {
  return {
    kind: 'session_limit',
    message: `There are ${max} open sessions already, and no more are allowed.`,
    advice: 'Close one that is not needed, or raise sessions.max.',
  };
}

/** A run that waits for a question of the editor to its session, such as a completion, which does not stop. */
export function stillAsked(id: string): EngineProblem {
  return {
    kind: 'overloaded',
    message: `Session ${id} is busy with a completion that does not stop when it is interrupted.`,
    advice: 'Wait until it has ended; its variables are kept. Or restart the session.',
  };
}

/** A run in a session of another language. */
export function otherLanguage(id: string, language: string): EngineProblem {
  return invalidRequest(`Session ${id} runs ${language}.`, `Use language ${language} in it, or another session.`);
}

/** A build that would give somebody else's image another meaning. */
export function foreignImage(language: string, image: string): EngineProblem {
  const option = `${language}.image`;
  return invalidRequest(
    `The option ${option} is ${image}, and only images whose names begin with hothouse/ are built.`,
    `Leave ${option} at its default, or give it such a name.`,
  );
}

/** A build on a host that only runs images. */
export function noImageBuilder(language: string): EngineProblem {
  return invalidRequest(
    'The host that sandboxes run on does not build images.',
    `Build the image elsewhere and name it in the option ${language}.image.`,
  );
}
