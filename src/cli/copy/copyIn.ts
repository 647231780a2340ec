import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf } from '../../base/log.ts';
import type { InputFile } from '../../engine/files/types.ts';
import { UsageError } from '../command.ts';
import { filesAt } from '../runFiles.ts';
import { unpack } from './archive.ts';
import type { RemoteFiles } from './remoteFiles.ts';

/** What was copied, and what was not. */
export interface Copied {
  readonly files: number;
  readonly bytes: number;
  /** Entries that were left out, each with the reason. */
  readonly leftOut: readonly string[];
}

/** Copies a file or a folder of this machine, as `docker cp` does. Rejects with a `UsageError` or a `ToolError`. */
export async function copyPathIn(source: string, files: RemoteFiles, target: string): Promise<Copied> {
  const facts = await stat(source).catch((error: unknown) => {
    throw new UsageError(`${source} cannot be read: ${messageOf(error)}`);
  });
  const leftOut: string[] = [];
  const onLeftOut = (path: string) => leftOut.push(`${path}: it is no regular file`);
  const place = await targetOf(source, facts.isDirectory(), files, target);
  const inputs = await filesAt({ source, target: place }, onLeftOut);
  await files.checkRoom(inputs.reduce((sum, { size = 0 }) => sum + size, 0));
  let bytes = 0;
  for (const { path, content } of inputs) bytes += await files.write(path, streamOf(content));
  return { files: inputs.length, bytes, leftOut };
}

/** Unpacks a tar archive where the target is a folder; otherwise the stream is the content of a file. */
export async function copyStreamIn(stream: Readable, files: RemoteFiles, target: string): Promise<Copied> {
  if (!isFolderPath(target) && !(await files.hasFolder(target))) {
    return { files: 1, bytes: await files.write(target, stream), leftOut: [] };
  }
  return unpack(stream, (path, content) => files.write(joined(target, path), content));
}

/** Whether a path is written as a folder. */
export function isFolderPath(path: string): boolean {
  return path === '' || /(^|\/)\.?$/.test(path);
}

/** A path below a folder; the folder may be the workspace itself. */
export function joined(folder: string, path: string): string {
  const base = withoutEnd(folder);
  return base === '.' ? path : `${base}/${path}`;
}

function withoutEnd(folder: string): string {
  return folder.replace(/\/\.$/, '').replace(/\/+$/, '') || '.';
}

async function targetOf(source: string, isFolder: boolean, files: RemoteFiles, target: string): Promise<string> {
  const goesInside = isFolder ? await files.hasFolder(target) : isFolderPath(target) || (await files.hasFolder(target));
  // `FOLDER/.` is what is in the folder.
  if (!goesInside || /(^|[/\\])\.$/.test(source)) return withoutEnd(target);
  return joined(target, basename(resolve(source)));
}

async function* streamOf(content: InputFile['content']): AsyncGenerator<Uint8Array> {
  if (typeof content === 'function') yield* content();
  else yield Buffer.from(content);
}
