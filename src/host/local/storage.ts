import { randomUUID } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';

const FULL = ['ENOSPC', 'EDQUOT'];
const DENIED = ['EROFS', 'EACCES', 'EPERM'];

/** Makes a folder that only this user can enter, with its parents. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // On a read-only file system Node reports that something is missing; this reports the cause.
    await access(await nearest(path), constants.W_OK);
    throw error;
  }
}

/**
 * Removes a folder that code of a sandbox could write to, and which no program uses any more: whatever modes it has given to
 * folders, and however long their paths are. Resolves when there is none.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await flatten(path);
    await rmdir(path);
  }
}

/** Empties a folder: folders in folders come to the top before they are removed, so that no path becomes long. */
async function flatten(top: string): Promise<void> {
  await chmod(top, 0o700);
  for (let names = await readdir(top); names.length > 0; names = await readdir(top)) {
    for (const path of names.map((name) => join(top, name))) {
      for (const folder of await emptied(path)) await rename(folder, join(top, randomUUID()));
      await rm(path, { recursive: true });
    }
  }
}

/** Removes all but folders from a folder, which then has the right to be moved, as these have; their paths. */
async function emptied(folder: string): Promise<string[]> {
  const folders: string[] = [];
  if (!(await lstat(folder)).isDirectory()) return folders;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await chmod(path, 0o700);
      folders.push(path);
    } else await rm(path);
  }
  return folders;
}

async function nearest(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere ? path : nearest(dirname(path));
}

/** Whether a path is there, and was not changed for so long. */
export async function isOld(path: string, ms: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > ms;
}

/** An error of the file system as one that says what to do about `folder`, which has everything that is kept here; any other as it is. */
export function storageError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  const code = String(error.code);
  if (FULL.includes(code)) return new HostError(full(folder));
  return DENIED.includes(code) ? new HostError(denied(folder, code)) : error;
}

function full(folder: string): Problem {
  return {
    kind: 'disk_full',
    message: `The disk with ${folder} is full.`,
    advice: 'Free space on it, or set HOME to a folder on another disk.',
  };
}

function denied(folder: string, code: string): Problem {
  const why = code === 'EROFS' ? 'its file system is read-only' : 'your user has no right to';
  return {
    kind: 'permission_denied',
    // In quotes VS Code, which runs servers in a sandbox, finds the path and offers to make it writable.
    message: `The folder "${folder}" cannot be written: ${why}.`,
    advice: 'Make the folder writable, or set HOME to one that is.',
  };
}
