import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { messageOf } from '../../base/log.ts';
import { addEntry } from '../../host/archiveEntry.ts';
import type { Copied } from './copyIn.ts';
import type { RemoteFile } from './remoteFiles.ts';
import { ServerError, ToolError } from './toolClient.ts';

/** Reads a tar archive and writes each of its files; links and special files are left out. */
export async function unpack(
  archive: Readable,
  write: (path: string, content: Readable) => Promise<number>,
): Promise<Copied> {
  const entries = extract();
  const leftOut: string[] = [];
  let [files, bytes] = [0, 0];
  entries.on('entry', ({ name, type }, content, next) => {
    if (type !== 'file') {
      if (type !== 'directory') leftOut.push(`${name}: it is no regular file`);
      content.resume();
      next();
      return;
    }
    write(name.replace(/^(\.?\/)+/, ''), content as Readable).then(
      (written) => {
        files += 1;
        bytes += written;
        next();
      },
      (error: Error) => entries.destroy(error),
    );
  });
  await pipeline(archive, entries).catch((error: unknown) => {
    if (error instanceof ToolError || error instanceof ServerError) throw error;
    throw new ToolError(`Standard input is no tar archive that can be read: ${messageOf(error)}`);
  });
  return { files, bytes, leftOut };
}

/** A tar archive of files, read as it is. */
export function packed<File extends RemoteFile>(
  files: readonly File[],
  read: (file: File) => AsyncIterable<Buffer>,
): Readable {
  const archive = pack();
  const fill = async () => {
    for (const file of files) {
      await addEntry(archive, { name: file.path, size: file.size, mode: 0o644 }, read(file));
    }
    archive.finalize();
  };
  fill().catch((error: Error) => archive.destroy(error));
  return archive;
}
