import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/** Where this user's leases are. */
export const LEASES = join(homedir(), '.hothouse', 'leases');

const ID = /^[0-9a-f]{16}$/;
/** Longest path of a socket on every system, with its final zero byte. */
const MAX_PATH_BYTES = 100;
const DAY_MS = 86_400_000;

/**
 * Takes a lease that this process holds until it ends, and resolves with its id; null when the folder cannot hold one.
 * The lease is a socket that this process listens on: the system accepts connections for a slow, stopped or suspended
 * process, and refuses them for one that has ended.
 */
export async function holdLease(folder = LEASES): Promise<string | null> {
  const id = randomBytes(8).toString('hex');
  const path = socketPath(folder, id);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return null;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder);
    await listen(path);
    return id;
  } catch {
    return null;
  }
}

/** Whether a living process holds a lease. True when in doubt. */
export async function isHeld(id: string, folder = LEASES): Promise<boolean> {
  if (!ID.test(id)) return true;
  const refusal = await knock(socketPath(folder, id));
  // Elsewhere a socket outlives its process as a file, so a missing one proves nothing.
  return refusal !== 'ECONNREFUSED' && !(platform() === 'win32' && refusal === 'ENOENT');
}

function socketPath(folder: string, id: string): string {
  return platform() === 'win32' ? `\\\\.\\pipe\\hothouse-${id}` : join(folder, id);
}

function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // A connection that could not be accepted was answered nevertheless.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** The code of the error that a connection fails with, or null when there is an answer. */
function knock(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}

/** Removes the sockets of processes that ended long ago; containers of theirs have ended since. */
async function removeOld(folder: string): Promise<void> {
  for (const id of (await readdir(folder)).filter((name) => ID.test(name))) {
    const path = join(folder, id);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY_MS && !(await isHeld(id, folder))) await unlink(path).catch(() => {});
  }
}
