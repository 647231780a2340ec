import { once } from 'node:events';
import type { Headers, Pack } from 'tar-stream';

/**
 * Adds a file of `header.size` bytes to an archive. Rejects with what the content fails with, and when the archive is
 * destroyed; a failed entry of tar-stream itself would end the archive without an error.
 */
export async function addEntry(archive: Pack, header: Headers, content: AsyncIterable<Uint8Array>): Promise<void> {
  const written = new Promise<void>((resolve, reject) => {
    const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
    write(entry, content).catch(reject);
  });
  const done = new AbortController();
  try {
    await Promise.race([written, closed(archive, done.signal)]);
  } finally {
    // An archive may have many entries.
    done.abort();
  }
}

async function write(entry: NodeJS.WritableStream, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) if (!entry.write(chunk)) await once(entry, 'drain');
  entry.end();
}

async function closed(archive: Pack, signal: AbortSignal): Promise<never> {
  await once(archive, 'close', { signal });
  throw new Error('The archive was not read to its end.');
}
