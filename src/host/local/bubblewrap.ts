import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';
import { forbidden } from './forbidden.ts';
import { MOUNTING_RIGHTS, type Mounts } from './preparation.ts';

/** The first with `--size` and `--disable-userns`, which the arguments use. */
const OLDEST = [0, 8, 0] as const;
const ASK_MS = 5_000;
const INSTALL = 'sudo apt-get install bubblewrap';

/** Everything that a sandbox has of its own. */
export const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];
/** Those without which no code runs, as /proc names them. */
const LEAST = ['user', 'pid', 'mnt', 'net'] as const;
const ROOT = [
  ...['--disable-userns', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--proc', '/proc'],
  // That of this process may lack the programs of the probes.
  ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
];
/** Shows what a start with these has. */
const PROBE = [
  ...NAMESPACES,
  ...ROOT,
  ...['sh', '-c', `cat /proc/self/status && cd /proc/self/ns && readlink ${LEAST.join(' ')}`],
];

/** Fails where a process with the right to mount may nevertheless not do so. */
const MOUNTING_PROBE = [...NAMESPACES, ...ROOT, ...MOUNTING_RIGHTS, 'unshare', '--mount', 'true'];

/** A bubblewrap that works. */
export interface Bubblewrap {
  readonly version: string;
  /** What it lets a sandbox mount. */
  readonly mounts: Mounts;
}

/**
 * Resolves once bubblewrap has started a process that has all of the least walls: namespaces of its own, no
 * capabilities, and a kernel that filters system calls. Rejects with a `HostError`.
 */
export async function checkBubblewrap(program: string, signal?: AbortSignal): Promise<Bubblewrap> {
  if (process.platform !== 'linux') throw new HostError(notLinux());
  const version = await run(program, ['--version'], signal);
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!found || isOlder(found)) throw new HostError(tooOld(version.trim()));
  const lacking = await lackingWalls(await run(program, PROBE, signal));
  if (lacking.length > 0) throw new HostError(wallsMissing(lacking));
  const canMount = await run(program, MOUNTING_PROBE, signal).then(
    () => true,
    () => false,
  );
  return { version: found.join('.'), mounts: canMount ? 'limited' : 'plain' };
}

function isOlder(version: readonly number[]): boolean {
  const at = OLDEST.findIndex((part, index) => part !== version[index]);
  return at !== -1 && (version[at] ?? 0) < (OLDEST[at] ?? 0);
}

/** Which of the least walls a process lacks that has printed its status and its namespaces. */
async function lackingWalls(printed: string): Promise<string[]> {
  const ours = await Promise.all(LEAST.map((name) => readlink(`/proc/self/ns/${name}`).catch(() => null)));
  // A name with a number: `mnt:[4026532257]`.
  const shared = LEAST.filter((name, index) => {
    const [its] = new RegExp(`^${name}:\\[\\d+\\]$`, 'm').exec(printed) ?? [];
    return its === undefined || its === ours[index];
  });
  const hasCapabilities = ['CapPrm', 'CapEff', 'CapBnd'].some(
    (set) => !new RegExp(`^${set}:\\s0+$`, 'm').test(printed),
  );
  return [
    ...shared.map((name) => `${name} namespace`),
    ...(hasCapabilities ? ['removal of capabilities'] : []),
    ...(/^Seccomp:/m.test(printed) ? [] : ['filter of system calls']),
  ];
}

async function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: ASK_MS, signal })).stdout;
  } catch (error) {
    if (signal?.aborted) throw new HostError(cancelled());
    throw new HostError(await startProblem(error));
  }
}

/** Why bubblewrap did not start a process, from the error of Node. */
export async function startProblem(error: unknown): Promise<Problem> {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return missing();
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  if (/namespace|Operation not permitted|uid map/i.test(said)) return forbidden(said);
  if (/Cannot allocate memory/i.test(said)) return noMemory(said);
  // Of what bubblewrap asks for, the kernel refuses only mounts with these words.
  if (/No space left/i.test(said)) return tooManyMounts(said);
  const message = `Bubblewrap cannot start a process: ${said || String(error)}`;
  return { kind: 'host_failed', message, advice: 'Run `bwrap --ro-bind / / true` in a terminal to see more.' };
}

/** The caller cancelled the call. */
export function cancelled(): Problem {
  return { kind: 'cancelled', message: 'The start of the sandbox was cancelled.', advice: 'Try again.' };
}

function notLinux(): Problem {
  return {
    kind: 'host_missing',
    message: 'Sandboxes without a container engine need Linux.',
    advice: 'Set the option host.kind to docker.',
  };
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

function noMemory(said: string): Problem {
  return {
    kind: 'no_memory',
    message: `There is no memory for the folders of a sandbox: ${said}`,
    advice: 'End other programs, or set the options limits.workspaceMb and limits.tmpMb lower.',
  };
}

function tooManyMounts(said: string): Problem {
  return {
    kind: 'host_failed',
    message: `This machine has too many mounts for another sandbox: ${said}`,
    advice: 'Unmount what is not needed, or set fs.mount-max of the kernel higher.',
  };
}

function wallsMissing(lacking: readonly string[]): Problem {
  return {
    kind: 'permission_denied',
    message: `Sandboxes would lack walls on this machine: ${lacking.join(', ')}.`,
    advice: 'Use another kernel, or a container engine by the option host.kind: docker.',
  };
}
