import { randomBytes } from 'node:crypto';
import {
  access,
  constants,
  copyFile,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../base/log.ts';

/** A client's file as it was read. */
export interface ClientFile {
  /** Without symbolic links. */
  readonly path: string;
  /** Empty for a file that does not exist. */
  readonly text: string;
  readonly exists: boolean;
  readonly mode: number;
}

/** A configuration is smaller. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Clients keep secrets in these files. */
const NEW_MODE = 0o600;
const SHARED_MODE = 0o644;

/** Reads a client's file, or says in a sentence why it cannot be changed. Only a shared file's folder is made when it is missing. */
export async function readClientFile(
  path: string,
  isShared: boolean,
): Promise<ClientFile | { readonly problem: string }> {
  try {
    const entry = await lstat(path).catch(ifMissing);
    if (!entry) {
      const folder = dirname(path);
      const isThere = isShared || (await stat(folder).catch(ifMissing))?.isDirectory();
      if (!isThere) return { problem: `The folder ${folder} does not exist. Start the client once, and try again.` };
      return { path, text: '', exists: false, mode: isShared ? SHARED_MODE : NEW_MODE };
    }
    const target = await realpath(path).catch(ifMissing);
    if (!target)
      return { problem: `${path} is a symbolic link to a file that does not exist. Correct the link, and try again.` };
    const { mode, size } = await stat(target);
    if (!(await stat(target)).isFile()) return { problem: `${path} is not a file. Move it away, and try again.` };
    if (size > MAX_BYTES) return { problem: `${path} is too large for a configuration.` };
    const isWritable =
      (mode & 0o222) !== 0 &&
      (await access(target, constants.W_OK).then(
        () => true,
        () => false,
      ));
    if (!isWritable) return { problem: `${target} is read-only. Make it writable, and try again.` };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(target));
    return { path: target, text, exists: true, mode: mode & 0o777 };
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : messageOf(error);
    return { problem: `${path} cannot be read: ${reason}.` };
  }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * Replaces a file at once, after a copy of the old one; returns the copy's path, null without an old file. Rejects, and leaves
 * the file alone, when another program has changed it since it was read.
 */
export async function writeClientFile({ path, text, exists, mode }: ClientFile, after: string): Promise<string | null> {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(after);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    const now = await readFile(path, 'utf8').catch(ifMissing);
    if ((now ?? '') !== text || (now !== null) !== exists)
      throw new Error(`${path} has changed in the meantime; try again`);
    const backup = exists ? await backUp(path) : null;
    await rename(temporary, path);
    return backup;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function backUp(path: string): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:]/g, '').replace(/\..*/, '');
  const backup = `${path}.${time}-${randomBytes(2).toString('hex')}.backup`;
  await copyFile(path, backup, constants.COPYFILE_EXCL);
  return backup;
}
