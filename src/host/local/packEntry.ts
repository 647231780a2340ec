import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Headers, Pack } from 'tar-stream';
import { addEntry } from '../archiveEntry.ts';

/** Each folder on the way down stays open. */
const MAX_DEPTH = 100;
/** Opening a pipe would wait for somebody who writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens `names`, each in the one before, below a folder of ours. Rejects where one of them is a link. */
export async function openBelow(folder: string, names: readonly string[]): Promise<FileHandle> {
  let handle = await open(folder, FLAGS | constants.O_DIRECTORY);
  for (const name of names) {
    const parent = handle;
    handle = await open(pathIn(parent, name), FLAGS | constants.O_DIRECTORY).finally(() => parent.close());
  }
  return handle;
}

/**
 * Adds what is called `name` in an open folder, with all below it, to an archive as `path`. Follows no link, whatever
 * programs of a sandbox change meanwhile. Rejects at what is no file, folder or link.
 */
export async function packEntry(
  archive: Pack,
  parent: FileHandle,
  name: string,
  path: string,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error(`It has more than ${MAX_DEPTH} folders in each other.`);
  const at = pathIn(parent, name);
  const handle = await open(at, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') return null;
    throw error;
  });
  if (handle === null) return addHeader(archive, { name: path, type: 'symlink', linkname: await readlink(at) });
  try {
    const stats = await handle.stat();
    if (stats.isFile()) await addFile(archive, path, handle, stats);
    else if (stats.isDirectory()) await addFolder(archive, path, handle, stats, depth);
    else throw new Error(`${path} is no file, folder or link.`);
  } finally {
    await handle.close();
  }
}

async function addFolder(archive: Pack, name: string, handle: FileHandle, stats: Stats, depth: number): Promise<void> {
  addHeader(archive, { ...headerOf(name, stats), type: 'directory' });
  for (const child of await readdir(pathOf(handle))) {
    await packEntry(archive, handle, child, join(name, child), depth + 1);
  }
}

async function addFile(archive: Pack, name: string, handle: FileHandle, stats: Stats): Promise<void> {
  const { size } = stats;
  const header = headerOf(name, stats);
  if (size === 0) return addHeader(archive, header);
  await addEntry(archive, { ...header, size }, bytesOf(handle, size, name));
}

/** As many as its header says, even when it grows. */
async function* bytesOf(handle: FileHandle, size: number, name: string): AsyncIterable<Uint8Array> {
  let left = size;
  for await (const chunk of handle.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw new Error(`${name} became shorter while it was read.`);
}

function headerOf(name: string, { mode, mtime }: Stats): Headers {
  return { name, mode: mode & 0o777, mtime };
}

/** An entry of no bytes. */
function addHeader(archive: Pack, header: Headers): void {
  if (!archive.entry(header, '')) throw new Error('The archive was not read to its end.');
}

function pathIn(folder: FileHandle, name: string): string {
  return join(pathOf(folder), name);
}

/** The open folder itself, wherever its name leads by now. */
function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
