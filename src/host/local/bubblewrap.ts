import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';

/** The first with `--size` and `--disable-userns`, which the arguments use. */
const OLDEST = [0, 8, 0] as const;
const ASK_MS = 5_000;
const INSTALL = 'sudo apt-get install bubblewrap';

/** Everything that a sandbox has of its own, with nothing else: a start with these shows whether the machine allows it. */
export const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

/** The version of bubblewrap, once it has started a process in namespaces of its own. Rejects with a `HostError`. */
export async function checkBubblewrap(program: string, signal?: AbortSignal): Promise<string> {
  const version = await run(program, ['--version'], signal);
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!found || isOlder(found)) throw new HostError(tooOld(version.trim()));
  await run(program, [...NAMESPACES, '--ro-bind', '/', '/', 'true'], signal);
  return found.join('.');
}

function isOlder(version: readonly number[]): boolean {
  const at = OLDEST.findIndex((part, index) => part !== version[index]);
  return at !== -1 && (version[at] ?? 0) < (OLDEST[at] ?? 0);
}

async function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: ASK_MS, signal })).stdout;
  } catch (error) {
    if (signal?.aborted) throw new HostError(cancelled());
    throw new HostError(startProblem(error));
  }
}

/** Why bubblewrap did not start a process, from the error of Node. */
export function startProblem(error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return missing();
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  if (/namespace|Operation not permitted|uid map/i.test(said)) return forbidden(said);
  const message = `Bubblewrap cannot start a process: ${said || String(error)}`;
  return { kind: 'host_failed', message, advice: 'Run `bwrap --ro-bind / / true` in a terminal to see more.' };
}

/** The caller cancelled the call. */
export function cancelled(): Problem {
  return { kind: 'cancelled', message: 'The start of the sandbox was cancelled.', advice: 'Try again.' };
}

function missing(): Problem {
  return {
    kind: 'host_missing',
    message: 'There is no bubblewrap (bwrap) on the path.',
    advice: 'Install the package bubblewrap of your system, or set the option host.kind to docker.',
    command: INSTALL,
  };
}

function tooOld(version: string): Problem {
  return {
    kind: 'host_too_old',
    message: `${version || 'This bubblewrap'} is too old: ${OLDEST.join('.')} or later is needed.`,
    advice: 'Update the package bubblewrap, or set the option host.kind to docker.',
    command: INSTALL,
  };
}

/** The kernel, a container or AppArmor does not allow this user to make namespaces. */
function forbidden(said: string): Problem {
  return {
    kind: 'permission_denied',
    message: `This machine does not let its users make namespaces: ${said}`,
    advice:
      'Allow user namespaces: on Ubuntu with an AppArmor profile for bwrap, elsewhere with the kernel setting that the message names; or set the option host.kind to docker.',
    command: 'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  };
}
