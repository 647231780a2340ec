import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
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

async function nearest(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere ? path : nearest(dirname(path));
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
    message: `The folder ${folder} cannot be written: ${why}.`,
    advice: 'Make it writable, or set HOME to a folder that is.',
  };
}
