import { createHash, randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { startOf } from './processes.ts';
import { isOld } from './storage.ts';

/** An id, the machine and the process of the build, what tells two builds of the same apart, and what is beside it. */
const NAME = /^[0-9a-f]{32}\.([0-9a-f]{32})\.(\d+)-(\d+)\.[0-9a-f-]{36}(\.tmp|\.given)?$/;
/** No build takes so long. */
const MAX_MS = 24 * 3_600_000;

/** A name for the folder of a build in progress, by which others see whether its process has ended. */
export async function draftName(id: string): Promise<string> {
  const { pid } = process;
  return `${id}.${await processesId()}.${pid}-${await startOf(pid)}.${randomUUID()}`;
}

/** Whether a name in `folder` is that of a build that was killed. */
export async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, processes, pid, startedAt] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  // Several machines and containers may have this home folder.
  if (processes !== (await processesId())) return isOld(join(folder, name), MAX_MS);
  return (await startOf(Number(pid))) !== startedAt;
}

/** A name for the start of this machine and its namespace of processes: only there an id of a process means anything. */
async function processesId(): Promise<string> {
  const parts = [await readFile('/proc/sys/kernel/random/boot_id', 'utf8'), await readlink('/proc/self/ns/pid')];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
