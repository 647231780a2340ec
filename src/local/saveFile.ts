import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, plainText } from '../base/log.ts';
import type { OpenedFile } from '../engine/files/types.ts';
import type { Result } from '../engine/types.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/** What a name may not have: it would be another path here, or could imitate lines of a terminal. */
const BAD_NAME = /[\u0000-\u001f\u007f-\u009f\\]|[\ud800-\udfff]/u;
/** Folders with hooks, tasks and settings that start programs. */
const PROTECTED: ReadonlySet<string> = new Set(['.git', '.vscode', '.devcontainer', '.hothouse']);

/**
 * Writes one file below `folder`, whose own links are not followed; null, or why it was not written. It appears once all of
 * it is there.
 */
export async function saveFile(
  folder: string,
  path: string,
  read: () => Promise<Result<Pick<OpenedFile, 'content'>>>,
  overwrite: boolean,
): Promise<string | null> {
  if (path.split('/').some((name) => BAD_NAME.test(name) || name === '..' || /^[a-z]:$/i.test(name))) {
    return 'its name is not used on this machine';
  }
  if (path.split('/').some((name) => PROTECTED.has(name.toLowerCase()))) return 'programs here take settings from it';
  const target = join(folder, path);
  try {
    await mkdir(folder, { recursive: true });
    await makeFolders(resolve(folder), path.split('/').slice(0, -1));
    const existing = await lstat(target).catch(() => null);
    if (existing && !overwrite) return `${target} exists`;
    if (existing && !existing.isFile()) return `${target} is no regular file`;
    const opened = await read();
    return opened.ok ? await write(opened.value, target) : plainText(opened.error.message);
  } catch (error) {
    return messageOf(error);
  }
}

/** Makes folders one by one: a link among them could lead anywhere. */
async function makeFolders(root: string, names: readonly string[]): Promise<void> {
  let at = root;
  for (const name of names) {
    at = join(at, name);
    await mkdir(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(at)).isDirectory()) throw new Error(`${at} is no folder`);
  }
}

async function write({ content }: Pick<OpenedFile, 'content'>, target: string): Promise<null> {
  const temporary = join(dirname(target), `.hothouse-${process.pid}-${Date.now()}.part`);
  try {
    const file = await open(temporary, NEW_FILE, 0o644);
    await pipeline(content, file.createWriteStream());
    await rename(temporary, target);
    return null;
  } finally {
    content.destroy();
    await rm(temporary, { force: true });
  }
}
