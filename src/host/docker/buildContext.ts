import { posix } from 'node:path';
import { type Headers, pack as packFolder } from 'tar-fs';
import { type Pack, pack } from 'tar-stream';
import type { ImageBuild } from '../host.ts';

const FILE_MODE = 0o644;
const PERMISSIONS = 0o777;
const EPOCH = new Date(0);

/**
 * The context of a build as a tar archive. Files of any number and size are read on demand. Of two entries with one
 * path the later one counts. All belong to root. Emits `error` with the system's error when something cannot be read.
 */
export function packContext(build: ImageBuild): Pack {
  const archive = pack();
  void addAll(archive, build);
  return archive;
}

/** Never resolves when the archive is destroyed meanwhile. */
async function addAll(archive: Pack, { context, files = {}, folders = {} }: ImageBuild): Promise<void> {
  await addFolder(archive, '', context);
  for (const [path, text] of Object.entries(files)) await addFile(archive, path, text);
  for (const [path, from] of Object.entries(folders)) await addFolder(archive, path, from);
  archive.finalize();
}

function addFile(archive: Pack, name: string, text: string): Promise<void> {
  return new Promise((resolve) => archive.entry({ name, mode: FILE_MODE, mtime: EPOCH }, text, () => resolve()));
}

/** Adds a folder's files, folders and symbolic links; a failure destroys the archive. */
function addFolder(archive: Pack, path: string, from: string): Promise<void> {
  const map = (header: Headers): Headers => ({
    ...header,
    name: posix.join(path, header.name),
    mode: header.mode & PERMISSIONS,
    mtime: EPOCH,
    uid: 0,
    gid: 0,
  });
  // Sandboxes run as another user: this process's umask must not decide what they can read.
  const options = { pack: archive, finalize: false, sort: true, strict: false, umask: 0, map };
  return new Promise((resolve) => packFolder(from, { ...options, finish: () => resolve() }));
}
