import { messageOf } from '../base/log.ts';
import { HostError } from '../host/host.ts';
import type { Grant } from '../pool/lease.ts';
import type { EngineProblem } from './types.ts';

/** The problem for anything that a host or a sandbox rejected with. */
export function problemOf(error: unknown): EngineProblem {
  if (error instanceof HostError) return error.problem;
  return {
    kind: 'host_failed',
    message: `A sandbox could not be created: ${messageOf(error)}.`,
    advice: 'Try again. If it fails again, check the log.',
  };
}

/** Why a lease was not granted. */
export function refusalOf(grant: Exclude<Grant, { kind: 'granted' }>): EngineProblem {
  if (grant.kind === 'failed') return problemOf(grant.cause);
  if (grant.kind === 'overloaded') return overloaded('Too many runs are already waiting for a sandbox.');
  if (grant.kind === 'stuck') return stuck();
  if (grant.kind === 'closed') return engineClosed();
  return cancelled();
}

export function cancelled(): EngineProblem {
  return { kind: 'cancelled', message: 'It was cancelled before it started.', advice: 'Try again.' };
}

export function overloaded(message: string): EngineProblem {
  return { kind: 'overloaded', message, advice: 'Wait until some have ended and try again.' };
}

function stuck(): EngineProblem {
  return {
    kind: 'host_failed',
    message: 'No sandbox can start: earlier ones could not be removed and fill the pool.',
    advice: 'Wait until they are removed. If they remain, restart the host of the sandboxes.',
  };
}

export function engineClosed(): EngineProblem {
  return {
    kind: 'engine_closed',
    message: 'Hothouse is shutting down.',
    advice: 'Start it again and repeat the request.',
  };
}

/** `known` are the ids of the languages of this engine. */
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
    advice: 'Use the id of an open session, or open a new one.',
  };
}

/** A session that is to be resumed where it is open. */
export function alreadyOpen(id: string): EngineProblem {
  return invalidRequest(`Session ${id} is open here already.`, 'Use it.');
}

/** A session that cannot be resumed; `reason` as in `its sandbox is gone`. */
export function notResumed(id: string, reason: string): EngineProblem {
  return {
    kind: 'unknown_session',
    message: `Session ${id} cannot be resumed: ${reason}.`,
    advice: 'Open a new one.',
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
    message: `${max} sessions are open, which is the limit.`,
    advice: 'Close one, or raise the option sessions.max.',
  };
}

/** A run that waits for a question of an editor, such as a completion, which ignores interrupts. */
export function stillAsked(id: string): EngineProblem {
  return {
    kind: 'overloaded',
    message: `Session ${id} is busy with a completion that does not stop when it is interrupted.`,
    advice: 'Wait until it has ended, which keeps its variables, or restart the session.',
  };
}

/** A run in a session of another language. */
export function otherLanguage(id: string, language: string): EngineProblem {
  return invalidRequest(`Session ${id} runs ${language}.`, `Use language ${language} in it, or another session.`);
}

/** Candidates for a session whose language has no copies. */
export function notCopied(id: string, language: string): EngineProblem {
  return invalidRequest(`Session ${id} runs ${language}, whose sessions cannot be copied.`, 'Run the code in it.');
}

/** A build that would overwrite an image of another project. */
export function foreignImage(language: string, image: string): EngineProblem {
  const option = `${language}.image`;
  return invalidRequest(
    `The option ${option} is ${image}, and only images whose names begin with hothouse/ are built.`,
    `Leave it at its default, or give it such a name.`,
  );
}

/** `known` are the names that there are. */
export function unknownEnvironment(name: string, known: readonly string[]): EngineProblem {
  return {
    kind: 'unknown_environment',
    message: `There is no environment ${JSON.stringify(name)}.`,
    advice: known.length > 0 ? `Use one of: ${known.slice(0, 20).join(', ')}.` : 'Create it first.',
  };
}

/** Code of one language for an environment of another one. */
export function otherEnvironmentLanguage(name: string, language: string, given: string): EngineProblem {
  return invalidRequest(`The environment ${name} is for ${language}, not for ${given}.`, `Use language ${language}.`);
}

export function environmentTaken(name: string): EngineProblem {
  return invalidRequest(
    `There is another environment named ${name}.`,
    'Choose another name, remove that one, or replace it.',
  );
}

/** `sessions` are the ids of those that run in it and that the caller may see. */
export function environmentInUse(name: string, sessions: readonly string[]): EngineProblem {
  if (sessions.length === 0) return invalidRequest(`The environment ${name} is in use.`, 'Use another name.');
  return invalidRequest(`Sessions run in the environment ${name}: ${sessions.join(', ')}.`, 'Close them first.');
}

/** An agent wants an environment, and the options say no. */
export function agentsDenied(): EngineProblem {
  return {
    kind: 'invalid_request',
    message: 'Agents may not create environments: the option environments.agents is deny.',
    advice: 'Use one of list_environments, or ask the user to create it.',
  };
}

/** An agent wants an environment, and no person has agreed. */
export function agentsNeedApproval(): EngineProblem {
  return {
    kind: 'needs_approval',
    message: 'Creating an environment needs the agreement of the user, who has not given it.',
    advice:
      'Ask the user to create it with `hothouse env create` or with the command New Environment in VS Code, or to set the option environments.agents to allow.',
  };
}

/** An environment that reaches hosts, and no person has agreed to that. `hosts` names them. */
export function needsNetworkConsent(name: string, hosts: string): EngineProblem {
  return {
    kind: 'needs_consent',
    message: `Code in the environment ${name} would reach ${hosts}, and no person has agreed to that.`,
    advice:
      'Ask the user to create it with `hothouse env create --allow-network` or with the command New Environment in VS Code, or create it without a network.',
  };
}

/** An installation into a session of an environment whose network policy is `none`. */
export function installsOff(environment: string): EngineProblem {
  return invalidRequest(
    `The environment ${environment} has network: none, so nothing is installed into its sessions.`,
    'Create an environment with these packages.',
  );
}

/** Environments on a host that only runs images. */
export function noEnvironmentBuilder(): EngineProblem {
  return invalidRequest(
    'The host that sandboxes run on does not build images.',
    'Use a host that does, such as a Docker Engine.',
  );
}

/** A build on a host that only runs images. */
export function noImageBuilder(language: string): EngineProblem {
  return invalidRequest(
    'The host that sandboxes run on does not build images.',
    `Build the image elsewhere and name it in the option ${language}.image.`,
  );
}
