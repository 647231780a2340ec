import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inodesOf } from '../../src/host/spec.ts';
import { isOnLocalHost } from '../testHost.ts';
import { type Isolated, isolationEngine, look, lookAfter, run } from './harness.ts';

const docker = promisify(execFile);
const MB = 1 << 20;
// Bounded, in case nothing else is.
const FILL = `
import errno, os
def bytes_until(path):
    written = 0
    with open(path, "wb", buffering=0) as file:
        try:
            while written < 400 << 20: written += file.write(bytes(1 << 20))
        except OSError as error: return [errno.errorcode[error.errno], written]
    return ["none", written]
def files_until(folder):
    for made in range(200_000):
        try: os.close(os.open("%s/%d" % (folder, made), os.O_CREAT | os.O_WRONLY))
        except OSError as error: return [errno.errorcode[error.errno], made]
    return ["none", made]
`;
const FILL_ALL = `${FILL}
for base in ("/workspace", "/tmp", "/dev/shm"):
    bytes_until(base + "/big")
    files_until(base)`;
const USED = `
import os
seen = []
for base in ("/workspace", "/tmp", "/dev/shm"):
    disk = os.statvfs(base)
    seen.append([base, disk.f_blocks - disk.f_bfree, disk.f_files - disk.f_ffree, os.listdir(base)])`;

let isolated: Isolated;
beforeAll(async () => {
  // Memory for all that the mounts may hold, so that it is their own limits that are met.
  isolated = await isolationEngine({ limits: { memoryMb: 768, timeoutSeconds: 60 } });
});
afterAll(() => isolated.dispose());

describe('row 8: disk and inodes', () => {
  it.each([
    ['/workspace', 256],
    ['/tmp', 64],
    ['/dev/shm', 64],
  ])('in %s end at their limit', async (base, megabytes) => {
    const bytes = await look(isolated, `${FILL}\nseen = bytes_until("${base}/big")`);
    expect(bytes).toEqual(['ENOSPC', megabytes * MB]);
    const [error, made] = (await look(isolated, `${FILL}\nseen = files_until("${base}")`)) as [string, number];
    expect(error).toBe('ENOSPC');
    // One inode is the mount's own.
    expect(made).toBe(inodesOf(megabytes * MB) - 1);
  });

  it('are free again after a reset', async () => {
    const fresh = await look(isolated, USED);
    expect(await lookAfter(isolated, FILL_ALL, USED)).toEqual(fresh);
  });

  // Without a container engine the root is no layer on a disk: it cannot be written at all.
  it.skipIf(isOnLocalHost)('of the host do not grow', async () => {
    const { status } = await run(
      isolated,
      `${FILL_ALL}\nfor base in ("/", "/var/tmp", "/run", "/home"):
    try: open(base + "/big", "wb").write(bytes(8 << 20))
    except OSError: pass`,
    );
    expect(status).toBe('ok');
    for (const id of await isolated.containers()) {
      const { stdout } = await docker('docker', ['inspect', '--size', '--format', '{{.SizeRw}}', id]);
      expect(Number(stdout)).toBeLessThan(MB);
    }
  });
});
