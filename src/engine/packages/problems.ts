import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { cancelled, invalidRequest } from '../problems.ts';
import type { EngineProblem } from '../types.ts';
import type { InstallerEnd } from './installer.ts';

/** Of what an installer has said, the end fits into a message. */
const MAX_WORDS = 1_500;

export function unsupported({ displayName }: Pick<LanguageDefinition, 'displayName'>): EngineProblem {
  return invalidRequest(
    `Packages cannot be installed into sessions of ${displayName}.`,
    'Create an environment with their apt packages, and open a session in it.',
  );
}

export function noInstaller(): EngineProblem {
  return invalidRequest('This installation of Hothouse cannot install packages.', 'Install it again.');
}

export function tooLargeBundle(message: string): EngineProblem {
  return {
    kind: 'install_failed',
    message: `The packages were not installed. ${message}`,
    advice: 'The session is as it was. A larger size can be set in the option packages.maxMb.',
  };
}

/** Why an installer has installed nothing; `output` is what it has said. */
export function failed(
  end: Exclude<InstallerEnd, { kind: 'installed' }>,
  output: string,
  timeoutSeconds: number,
): EngineProblem {
  const advice = 'The session is as it was.';
  if (end.kind === 'failed') {
    const words = output.trim().slice(-MAX_WORDS) || 'The installer gave no reason.';
    return { kind: 'install_failed', message: `The packages could not be installed:\n${words}`, advice };
  }
  if (end.reason === 'cancelled') return cancelled();
  return { kind: 'install_failed', ...stopped(end.reason, timeoutSeconds) };
}

function stopped(reason: 'timeout' | 'disk_full' | 'lost', timeoutSeconds: number) {
  if (reason === 'timeout') {
    return {
      message: `The installation took longer than ${timeoutSeconds} s and was stopped.`,
      advice: 'The session is as it was. More time can be set in the option packages.timeoutSeconds.',
    };
  }
  if (reason === 'disk_full') {
    return {
      message: 'The installation was stopped: the disk of the machine is almost full.',
      advice: 'The session is as it was. Free at least 1 GB and try again.',
    };
  }
  return { message: 'The container of the installer was lost.', advice: 'The session is as it was. Try again.' };
}
