import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { Client } from './client.ts';
import { unlessGone } from './problems.ts';

const READ_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The files of a folder in an image, by name, read from a container that is never started. */
export async function readFolder(
  client: Client,
  tag: string,
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  return client.call({
    doing: `read ${path} of the image ${tag}`,
    ms: READ_MS,
    work: async (docker) => {
      const container = await docker.createContainer({ Image: tag, Cmd: ['/'], Labels: { ...labels } });
      try {
        const archive = await unlessGone(container.getArchive({ path }));
        return archive ? await filesOf(archive) : {};
      } finally {
        await unlessGone(container.remove({ force: true, v: true }));
      }
    },
  });
}

async function filesOf(archive: NodeJS.ReadableStream): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const unpack = extract();
  let bytes = 0;
  unpack.on('entry', ({ name, type, size = 0 }, content, next) => {
    bytes += size;
    if (bytes > MAX_BYTES) return void unpack.destroy(new Error(`the folder has more than ${MAX_BYTES} bytes`));
    if (type !== 'file') return void content.resume().once('end', next);
    text(content).then((read) => {
      files[name.slice(name.indexOf('/') + 1)] = read;
      next();
    }, next);
  });
  await new Promise<void>((resolve, reject) => {
    unpack.once('finish', () => resolve()).once('error', reject);
    archive.once('error', reject).pipe(unpack);
  });
  return files;
}
