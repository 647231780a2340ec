import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/host/problem.ts';

const START = `"${process.execPath}" --import tsx "${path.join(import.meta.dirname, 'localProblem.ts')}" "$1"`;
/** Shell: builds the environment while nothing is wrong. */
const BUILT = `${START} > /dev/null`;
const READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"';
/** Shell: every Python that sandboxes could see becomes this file. */
const otherPython = (file: string) =>
  `for python in /usr/bin/python3* /usr/local/bin/python3*; do [ ! -e $python ] || mount --bind ${file} $python; done`;
/** Shell: a folder of programs that is `$1/bin`, with one that is this script. */
const program = (name: string, script: string) =>
  `mkdir -p "$1/bin"; printf '#!/bin/sh\\n${script}\\n' > "$1/bin/${name}"; chmod +x "$1/bin/${name}"`;

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
 * The problem of a start, or null, and the host's warnings and details after `prepare`, a shell script whose $1 is the home folder. It runs as root of a user namespace,
 * where it may mount and set the limits of namespaces for what it starts.
 */
async function outcomeAfter(
  prepare: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ problem: Problem | null; warnings: string[]; details: string[] }> {
  const script = `set -e; ${prepare}; exec ${START}`;
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
    const missing = {
      kind: 'host_missing',
      message: 'There is no python3 in /usr/local/bin or /usr/bin.',
      advice: 'Install python3 3.9 or later from the packages of your system, or set the option host.kind to docker.',
      command: expect.stringContaining('apt-get install python3'),
    };
    expect(await problemAfter(otherPython('/dev/null'))).toEqual(missing);
    expect(await problemAfter(`${BUILT}; ${otherPython('/dev/null')}`)).toEqual(missing);
  });

  it('learns that Python does not start', async () => {
    const broken = `${program('python3', 'echo it is broken >&2; exit 3')}; ${otherPython('"$1/bin/python3"')}`;
    expect(await problemAfter(`${BUILT}; ${broken}`)).toEqual({
      kind: 'host_failed',
      message:
        'A sandbox of image hothouse/bash:latest did not start: its first process ended with status 3 (it is broken).',
      advice: 'Check that python3 starts on this machine, and build the environment again with `hothouse build bash`.',
    });
  });

  it('gets the newest Python that starts in a sandbox, and learns why newer ones are not used', async () => {
    const scripts = [
      program('python3.14', 'echo it is broken >&2; exit 1'),
      // One that has a part of it where no sandbox sees it.
      `ln -s "$1/python" "$1/bin/python3.13"; ln -s "$(command -v python3)" "$1/python"`,
      program('python3.12', 'exec /usr/bin/python3 "$@"'),
    ];
    const added = 'mount -t overlay -o lowerdir="$1/bin":/usr/local/bin overlay /usr/local/bin';
    const { problem, warnings, details } = await outcomeAfter([...scripts, added].join('; '));
    expect(problem).toBeNull();
    expect(details).toContainEqual(
      expect.stringMatching(/^python3 3\.\d+\.\d+ at \/usr\/local\/bin\/python3\.12, the newest that works here$/),
    );
    expect(warnings).toContain('/usr/local/bin/python3.14 is not used: it is broken.');
    expect(warnings.join('\n')).toMatch(/^\/usr\/local\/bin\/python3\.13 is not used: .*No such file or directory\.$/m);
  });

  it('needs no programs on the path but bubblewrap', async () => {
    const prepare = 'mkdir "$1/bin"; ln -s "$(command -v bwrap)" "$1/bin/bwrap"; PATH="$1/bin"';
    expect(await problemAfter(prepare)).toBeNull();
  });

  it('learns that bubblewrap is too old', async () => {
    const problem = await problemAfter(`${program('bwrap', 'echo bubblewrap 0.7.9')}; PATH="$1/bin:$PATH"`);
    expect(problem).toEqual({
      kind: 'host_too_old',
      message: 'bubblewrap 0.7.9 is too old: 0.8.0 or later is needed.',
      advice: 'Update the package bubblewrap, or set the option host.kind to docker.',
      command: 'sudo apt-get install bubblewrap',
    });
  });

  it('learns that the kernel has no room for the mounts of a sandbox', async () => {
    // Twice as many each time, until the next would be more than the kernel allows in one namespace.
    const fill =
      'mkdir "$1/all"; mount -t tmpfs tmpfs "$1/all"; mkdir "$1/all/again"; while mount --rbind "$1/all" "$1/all/again" 2> /dev/null; do :; done';
    expect(await problemAfter(`${BUILT}; ${fill}`)).toMatchObject({
      kind: 'host_failed',
      message: expect.stringMatching(
        /^This machine has too many mounts for another sandbox: .*No space left on device$/,
      ),
      advice: 'Unmount what is not needed, or set fs.mount-max of the kernel higher.',
    });
  });

  it('starts a sandbox without a cgroup, and learns what is not limited', async () => {
    const { problem, warnings } = await outcomeAfter('mount -t tmpfs -o ro tmpfs /sys/fs/cgroup');
    expect(problem).toBeNull();
    expect(warnings.join()).toContain('CPU time of sandboxes is not limited');
  });

  it('learns that the home folder is read-only', async () => {
    const denied = (folder: string) => ({
      kind: 'permission_denied',
      message: `The folder "${folder}" cannot be written: its file system is read-only.`,
      advice: 'Make the folder writable, or set HOME to one that is.',
    });
    expect(await problemAfter(READ_ONLY)).toEqual(denied(`${home}/.hothouse/local/environments`));
    expect(await problemAfter(`${BUILT}; ${READ_ONLY}`)).toEqual(denied(`${home}/.hothouse/local`));
  });

  it('needs no folder of temporary files', async () => {
    const folder = '"$1/full"; head -c 1000000 /dev/zero > "$1/full/file" 2> /dev/null || true';
    expect(
      await problemAfter(`mkdir "$1/full"; mount -t tmpfs -o size=64k tmpfs ${folder}; export TMPDIR="$1/full"`),
    ).toBeNull();
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
