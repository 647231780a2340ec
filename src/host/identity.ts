import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { holdLease, isHeld, LEASES } from './lease.ts';

/** The creator of containers, as in their labels. */
export interface ProcessIdentity {
  readonly machine: string;
  readonly owner: string;
}

/** The owner label of a process that could not take a lease: it always counts as alive. */
const WITHOUT_LEASE = 'without-lease';

let lease: Promise<string | null> | undefined;

/** The identity of this process. */
export async function processIdentity(): Promise<ProcessIdentity> {
  return { machine: await machineId(), owner: await thisOwner() };
}

/**
 * An opaque name for this machine, user and folder of leases: only owners of containers with the same name can be
 * looked up here.
 */
export async function machineId(): Promise<string> {
  const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  // The folder is there once this process has its lease. Containers share the machine-id of their image, but no files.
  await thisOwner();
  const folder = await stat(LEASES).catch(() => ({ dev: 0, ino: 0 }));
  const user = process.getuid?.() ?? userInfo().username;
  const parts = [machine.trim() || hostname(), `${folder.dev}:${folder.ino}`, user];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

/** The owner label of this process: a lease that it holds until it ends. */
export async function thisOwner(): Promise<string> {
  lease ??= holdLease();
  return (await lease) ?? WITHOUT_LEASE;
}

/** Whether the process of an owner label is alive. True when in doubt. */
export function isOwnerAlive(owner: string): Promise<boolean> {
  return isHeld(owner);
}
