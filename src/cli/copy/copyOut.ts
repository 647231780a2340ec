import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { saveFile } from '../../local/saveFile.ts';
import { packed } from './archive.ts';
import { type Copied, isFolderPath } from './copyIn.ts';
import type { RemoteEntry, RemoteFile, RemoteFiles } from './remoteFiles.ts';
import { ServerError, ToolError } from './toolClient.ts';

/** The files that were asked for, and which part of their paths is kept. */
interface Found {
  readonly isFolder: boolean;
  /** Name of what was asked for; empty for the contents of a folder. */
  readonly name: string;
  readonly files: readonly (RemoteFile & { readonly inner: string })[];
  readonly leftOut: readonly string[];
}

/**
 * Saves a file or a folder on this machine, as `docker cp` does. The named file is replaced; a file of a folder, whose name
 * the sandbox has chosen, replaces another one only with `overwrite`.
 */
export async function copyPathOut(
  files: RemoteFiles,
  source: string,
  target: string,
  overwrite: boolean,
): Promise<Copied> {
  const { isFolder, name, files: found, leftOut } = await find(files, source);
  const isExisting = await stat(target).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  const goesInside = isExisting || (!isFolder && /[/\\]$/.test(target));
  const place = goesInside ? join(target, name) : target;
  const problems: string[] = [];
  let [count, bytes] = [0, 0];
  for (const file of found) {
    const [folder, path] = isFolder ? [place, file.inner] : [dirname(place), basename(place)];
    const problem = await save(files, file, { folder, path, overwrite: overwrite || !isFolder });
    if (problem !== null) {
      problems.push(`${file.path}: ${problem}`);
      continue;
    }
    count += 1;
    bytes += file.size;
  }
  return { files: count, bytes, leftOut: [...leftOut, ...problems] };
}

/** Writes one file as it is, and a folder as a tar archive. */
export async function copyStreamOut(files: RemoteFiles, source: string, stdout: Writable): Promise<Copied> {
  const { isFolder, name, files: found, leftOut } = await find(files, source);
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  const contents = isFolder
    ? packed(
        found.map((file) => ({ ...file, path: name === '' ? file.inner : `${name}/${file.inner}` })),
        (file) => files.read({ ...file, path: joinedPath(source, file.inner) }),
      )
    : Readable.from(bytesOf(files, found));
  await pipeline(contents, stdout, { end: false });
  return { files: found.length, bytes, leftOut };
}

async function* bytesOf(files: RemoteFiles, found: readonly RemoteFile[]): AsyncGenerator<Buffer> {
  for (const file of found) yield* files.read(file);
}

async function find(files: RemoteFiles, source: string): Promise<Found> {
  const path = cleaned(source);
  if (!(await files.hasFolder(path))) {
    if (isFolderPath(source) && source !== '') throw new ToolError(`${JSON.stringify(source)} is not a folder.`);
    const size = await files.sizeOf(path);
    const name = basename(path);
    return { isFolder: false, name, files: [{ path, size, inner: name }], leftOut: [] };
  }
  const entries = await files.list(path, true);
  const isFile = ({ type }: RemoteEntry) => type === 'file';
  const leftOut = entries.flatMap((entry) =>
    isFile(entry) || entry.type === 'folder' ? [] : [`${entry.path}: it is no regular file`],
  );
  const found = entries.filter(isFile).map(({ path: whole, size }) => ({
    path: whole,
    size,
    inner: path === '' ? whole : whole.slice(path.length + 1),
  }));
  const name = /(^|\/)\.$/.test(source) ? '' : basename(path);
  return { isFolder: true, name, files: found, leftOut };
}

async function save(
  files: RemoteFiles,
  file: RemoteFile,
  { folder, path, overwrite }: { folder: string; path: string; overwrite: boolean },
): Promise<string | null> {
  let failure: unknown;
  const read = async () => ({ ok: true as const, value: { content: Readable.from(files.read(file)) } });
  const problem = await saveFile(folder, path, read, overwrite).catch((error: unknown) => {
    failure = error;
    return null;
  });
  if (failure instanceof ServerError) throw failure;
  return problem;
}

/** A path as lists have it: relative to the workspace, without what means nothing. */
function cleaned(path: string): string {
  const names = path.replace(/^\/workspace(?=\/|$)/, '').split('/');
  const inner = names.filter((name) => name !== '' && name !== '.').join('/');
  return path.startsWith('/') && !/^\/workspace(\/|$)/.test(path) ? `/${inner}` : inner;
}

function joinedPath(source: string, inner: string): string {
  const folder = cleaned(source);
  return folder === '' ? inner : `${folder}/${inner}`;
}
