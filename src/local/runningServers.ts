import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isOwnerAlive, thisOwner } from '../host/identity.ts';

const Announcement = z.object({ url: z.url(), token: z.string(), owner: z.string() });

/** A server of this user on this machine, and the token with which its programs see all sessions. */
export type RunningServer = Pick<z.infer<typeof Announcement>, 'url' | 'token'>;

/** Where this user's servers are announced. */
export function serversFolder(home: string): string {
  return join(home, '.hothouse', 'servers');
}

/**
 * Announces a server to the programs of this user, in a file that no other user can read; resolves with what takes it
 * back. A process that is killed leaves its file, which counts for nothing. Rejects when the file cannot be written.
 */
export async function announceServer(folder: string, { url, token }: RunningServer): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${randomUUID()}.json`);
  const announcement = { url, token, owner: await thisOwner() };
  await writeFile(file, JSON.stringify(announcement), { mode: 0o600, flag: 'wx' });
  return () => rm(file, { force: true });
}

/** The servers that are announced and whose processes live. Removes the files of the others. */
export async function runningServers(folder: string): Promise<readonly RunningServer[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => read(join(folder, name))),
  );
  return found.flatMap((server) => server ?? []);
}

async function read(file: string): Promise<RunningServer | null> {
  try {
    const { url, token, owner } = Announcement.parse(JSON.parse(await readFile(file, 'utf8')));
    // Another process may listen on the port of one that has ended.
    if (await isOwnerAlive(owner)) return { url, token };
    await rm(file, { force: true });
  } catch {
    // It is being written, or has just been removed.
  }
  return null;
}
