import { createHash } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';

/** Who makes containers here, as their labels say it. */
export interface ProcessIdentity {
  readonly machine: string;
  readonly owner: string;
}

/** The identity of this process. */
export async function processIdentity(): Promise<ProcessIdentity> {
  return { machine: await machineId(), owner: await thisOwner() };
}

/**
 * A name for this machine, user and process namespace that says nothing about them: only containers of the same name
 * have owners that can be looked up here.
 */
export async function machineId(): Promise<string> {
  const machine = (await textOf(readFile('/etc/machine-id', 'utf8')))?.trim() || hostname();
  // Process ids of a container mean nothing outside it, and images share their machine-id.
  const namespace = (await textOf(readlink('/proc/self/ns/pid'))) ?? '';
  const user = process.getuid?.() ?? userInfo().username;
  return createHash('sha256').update(`${machine}\n${namespace}\n${user}`).digest('hex').slice(0, 32);
}

/** The owner label of this process. */
export async function thisOwner(): Promise<string> {
  return ownerLabel(process.pid, await startTime(process.pid));
}

/** The owner label of a process; `started` is null where the system does not tell it. */
export function ownerLabel(pid: number, started: string | null): string {
  return `${pid}:${started ?? ''}`;
}

/** Whether the process of an owner label lives. When in doubt it does. */
export async function isOwnerAlive(owner: string): Promise<boolean> {
  const [, digits, started] = /^(\d+):(\d*)$/.exec(owner) ?? [];
  if (!digits) return true;
  const pid = Number(digits);
  if (!exists(pid)) return false;
  const now = await startTime(pid);
  return !started || now === null || now === started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** When a process started, in the kernel's ticks since boot; null where there is no /proc or no such process. */
async function startTime(pid: number): Promise<string | null> {
  const stat = await textOf(readFile(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name, which may hold anything; the fields after its last parenthesis are plain.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function textOf(reading: Promise<string>): Promise<string | null> {
  return reading.catch(() => null);
}
