import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExtractOptions, extract, pack } from 'tar-fs';

/** The folder of each volume, by its path in the sandbox. */
export type VolumeFolders = ReadonlyMap<string, string>;

/** Files belong to this user, whoever it is; its types do not know the option. */
const OWN: ExtractOptions & { readonly chown: boolean } = { chown: false };

/** Unpacks an archive in the folder `path` of a volume. Its files belong to this user, as every file of a sandbox does. */
export async function unpackInVolume(
  volumes: VolumeFolders,
  path: string,
  archive: Readable,
  signal?: AbortSignal,
): Promise<void> {
  const folder = folderOf(volumes, path);
  await mkdir(folder, { recursive: true });
  await pipeline(archive, extract(folder, OWN), { signal });
}

/** Packs what is at `path` in a volume, with its name as the topmost one. */
export function packVolume(volumes: VolumeFolders, path: string): Readable {
  const folder = folderOf(volumes, path);
  const archive = new PassThrough();
  pipeline(pack(dirname(folder), { entries: [basename(folder)] }), archive).catch(() => {});
  return archive;
}

function folderOf(volumes: VolumeFolders, path: string): string {
  for (const [volume, folder] of volumes) {
    const below = relative(volume, path);
    if (!below.startsWith('..')) return join(folder, below);
  }
  throw new Error(`${path} is in no volume`);
}
