import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isOwnerAlive, thisOwner } from '../host/identity.ts';

const Announcement = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/mcp$/),
  token: z.string(),
  owner: z.string(),
  /** Whether processes of `hothouse mcp` may join its engine. */
  isJoinable: z.boolean().default(false),
});
const MAX_BYTES = 4_096;

/** A server of this user on this machine, and the token with which its programs see all sessions. */
export type RunningServer = Pick<z.infer<typeof Announcement>, 'url' | 'token'> & {
  readonly isJoinable?: boolean;
};

/** Where this user's servers are announced. */
export function serversFolder(home: string): string {
  return join(home, '.hothouse', 'servers');
}

/**
 * Announces a server to the programs of this user, in a file that no other user can read; resolves with what takes it
 * back. A process that is killed leaves its file, which counts for nothing. Rejects when the file cannot be written.
 */
export async function announceServer(folder: string, server: RunningServer): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${randomUUID()}.json`);
  const announcement = { ...server, owner: await thisOwner() };
  await writeFile(file, JSON.stringify(announcement), { mode: 0o600, flag: 'wx' });
  return () => rm(file, { force: true });
}

/**
 * The servers that are announced and whose processes live, the latest first. Removes the files of the others, and ignores
 * files that this user does not own, or that others may read or write.
 */
export async function runningServers(folder: string): Promise<readonly RunningServer[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => read(join(folder, name))),
  );
  const servers = found.flatMap((server) => server ?? []);
  return servers.sort((one, other) => other.since - one.since).map(({ server }) => server);
}

interface Found {
  readonly server: RunningServer;
  /** When it was announced. */
  readonly since: number;
}

async function read(path: string): Promise<Found | null> {
  let file: FileHandle | undefined;
  try {
    // Neither a link nor a pipe, which would wait for a writer.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const status = await file.stat();
    const isOwn = process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o077) === 0);
    if (!status.isFile() || status.size > MAX_BYTES || !isOwn) return null;
    const { owner, ...server } = Announcement.parse(JSON.parse(await file.readFile('utf8')));
    // Another process may listen on the port of one that has ended.
    if (await isOwnerAlive(owner)) return { server, since: status.mtimeMs };
    await rm(path, { force: true });
  } catch {
    // It is being written, or has just been removed.
  } finally {
    await file?.close();
  }
  return null;
}
