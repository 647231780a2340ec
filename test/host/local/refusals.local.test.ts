import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/host/problem.ts';

const PROGRAM = path.join(import.meta.dirname, 'localProblem.ts');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-refused-'));
});
afterEach(() => rm(home, { recursive: true }));

/** The problem of `outcomeAfter`. */
async function problemAfter(prepare: string, env?: NodeJS.ProcessEnv): Promise<Problem | null> {
  return (await outcomeAfter(prepare, env)).problem;
}

/**
 * The problem of a start, or null, and the host's warnings after `prepare`, a shell script whose $1 is the home folder. It runs as root of a user namespace,
 * where it may mount and set the limits of namespaces for what it starts.
 */
async function outcomeAfter(
  prepare: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ problem: Problem | null; warnings: string[] }> {
  const script = `set -e; ${prepare}; exec "${process.execPath}" --import tsx "${PROGRAM}" "$1"`;
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', home];
  const { stdout } = await promisify(execFile)('unshare', args, { env });
  return JSON.parse(stdout);
}

describe('an ordinary user', () => {
  it('starts a sandbox where nothing is wrong', async () => {
    const { problem, warnings } = await outcomeAfter('true');
    expect(problem).toBeNull();
    expect(warnings.join()).not.toContain('number of their files');
  });

  it('starts a sandbox and learns what it lacks where only bubblewrap may mount', async () => {
    // One for the test, one for bubblewrap, and none for the program in it.
    const { problem, warnings } = await outcomeAfter('echo 2 > /proc/sys/user/max_mnt_namespaces');
    expect(problem).toBeNull();
    expect(warnings.join()).toContain('the number of their files is not limited');
  });

  it.each(['user', 'pid', 'mnt', 'net'])('learns which setting forbids %s namespaces', async (kind) => {
    const setting = `user.max_${kind}_namespaces`;
    expect(await problemAfter(`echo 0 > /proc/sys/${setting.replace('.', '/')}`)).toEqual({
      kind: 'permission_denied',
      message: `This machine lets no ordinary user make namespaces: ${setting} is 0.`,
      advice: `Set ${setting} to 10000, also in /etc/sysctl.d to keep it, or set the option host.kind to docker.`,
      command: `sudo sysctl ${setting}=10000`,
    });
  });

  it('learns that bubblewrap is missing', async () => {
    expect(await problemAfter('true', { ...process.env, PATH: '/usr/sbin:/bin:/usr/bin' })).toBeNull();
    const problem = await problemAfter('mount --bind /dev/null "$(command -v bwrap)"; PATH=/nothing');
    expect(problem).toMatchObject({ kind: 'host_missing', command: 'sudo apt-get install bubblewrap' });
  });

  it('learns that Python is missing', async () => {
    const problem = await problemAfter(
      'for python in /usr/bin/python3 /usr/local/bin/python3; do [ ! -e $python ] || mount --bind /dev/null $python; done',
    );
    expect(problem).toMatchObject({
      kind: 'build_failed',
      message: 'There is no python3 in /usr/local/bin or /usr/bin.',
      advice: expect.stringContaining('Install python3 3.9 or later'),
    });
  });

  it('learns that the home folder is read-only', async () => {
    const problem = await problemAfter('mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"');
    expect(problem).toMatchObject({
      kind: 'permission_denied',
      message: `The folder "${home}/.hothouse/local/environments" cannot be written: its file system is read-only.`,
    });
  });

  it('learns that the disk is full, and leaves nothing there', async () => {
    await mkdir(path.join(home, 'space'));
    const problem = await problemAfter(
      'mount -t tmpfs -o size=64k tmpfs "$1"; head -c 1000000 /dev/zero > "$1/full" 2> /dev/null || true',
    );
    expect(problem).toMatchObject({ kind: 'disk_full', message: expect.stringContaining(home) });
    expect(await readdir(home)).toEqual(['space']);
  });
});
