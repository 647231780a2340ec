import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExtractOptions, extract } from 'tar-fs';
import { type Pack, pack } from 'tar-stream';
import { NOWHERE } from '../mirror.ts';
import { openBelow, packEntry } from './packEntry.ts';

/** The folder of each volume, by its path in the sandbox. */
export type VolumeFolders = ReadonlyMap<string, string>;

/** Files belong to this user, whoever it is; its types do not know the option. */
const OWN: ExtractOptions & { readonly chown: boolean } = { chown: false };

/**
 * Unpacks an archive in the folder `path` of a volume that no sandbox writes to. Its files belong to this user, as every file
 * of a sandbox does. A link to `NOWHERE` removes what has its name, and is not made.
 */
export async function unpackInVolume(
  volumes: VolumeFolders,
  path: string,
  archive: Readable,
  signal?: AbortSignal,
): Promise<void> {
  const { folder, names } = placeOf(volumes, path);
  const target = join(folder, ...names);
  await mkdir(target, { recursive: true });
  // Called for each entry in its turn, once those before are there.
  const ignore: ExtractOptions['ignore'] = (name, header) => {
    const isRemoval = header !== undefined && 'linkname' in header && header.linkname === NOWHERE;
    if (isRemoval) rmSync(name, { recursive: true, force: true });
    return isRemoval;
  };
  await pipeline(archive, extract(target, { ...OWN, ignore }), { signal });
}

/** Packs what is at `path` in a volume, with its name as the topmost one; a sandbox may be changing it. */
export function packVolume(volumes: VolumeFolders, path: string): Readable {
  const place = placeOf(volumes, path);
  const [entries, archive] = [pack(), new PassThrough()];
  pipeline(entries, archive).catch(() => {});
  packPlace(entries, place, basename(path)).catch((error: Error) => entries.destroy(error));
  return archive;
}

async function packPlace(archive: Pack, { folder, names }: Place, as: string): Promise<void> {
  // Of the volume itself, which no sandbox has made, the parent.
  const name = names.at(-1);
  const parent = await openBelow(name === undefined ? join(folder, '..') : folder, names.slice(0, -1));
  try {
    await packEntry(archive, parent, name ?? basename(folder), as);
  } finally {
    await parent.close();
  }
  archive.finalize();
}

/** A volume's folder, and the names that lead to what is in it. */
interface Place {
  readonly folder: string;
  readonly names: readonly string[];
}

function placeOf(volumes: VolumeFolders, path: string): Place {
  for (const [volume, folder] of volumes) {
    const below = relative(volume, path);
    if (!below.startsWith('..')) return { folder, names: below.split(sep).filter(Boolean) };
  }
  throw new Error(`${path} is in no volume`);
}
