import type { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { Client } from './client.ts';

/** A large library takes minutes on a slow disk. */
const COPY_MS = 15 * 60_000;

/** Unpacks a tar archive in a volume of a container, running or not. Rejects with a `HostError`. */
export async function putArchive(
  client: Client,
  id: string,
  path: string,
  archive: Readable,
  signal?: AbortSignal,
): Promise<void> {
  await client.call({
    doing: 'unpack files in a container',
    ms: COPY_MS,
    signal,
    work: (docker, abortSignal) => docker.getContainer(id).putArchive(archive, { path, abortSignal }),
  });
}

/** What is at a path in a volume of a container, as a tar archive. Rejects with a `HostError`. */
export async function getArchive(client: Client, id: string, path: string, signal?: AbortSignal): Promise<Readable> {
  const archive = await client.call({
    doing: 'pack files of a container',
    signal,
    work: (docker, abortSignal) => docker.getContainer(id).getArchive({ path, abortSignal }),
  });
  return archive as Readable;
}

/** An archive that sets owner and mode (octal) of the folder in which it is unpacked. */
export function rootFolder(user: number, mode: string): Readable {
  const archive = pack();
  // Ids like ours are too large for the usual fields.
  const extended = { pax: { uid: String(user), gid: String(user) } };
  archive.entry({ name: '.', type: 'directory', mode: Number.parseInt(mode, 8), ...extended });
  archive.finalize();
  return archive;
}

/** An archive with a file `hosts` that knows the container's own names. */
export function hostsFile(): Readable {
  const archive = pack();
  archive.entry({ name: 'hosts', mode: 0o644 }, '127.0.0.1\tlocalhost sandbox\n::1\tlocalhost ip6-localhost\n');
  archive.finalize();
  return archive;
}

/** An archive with the folder `data`, which belongs to the user alone. */
export function dataFolder(user: number): Readable {
  const archive = pack();
  archive.entry({ name: 'data', type: 'directory', mode: 0o700, uid: user, gid: user });
  archive.finalize();
  return archive;
}
