import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAN_VARIABLES, PYTHON_VARIABLES, writeOlderConfiguration } from '../config/olderServers.ts';
import { ended, start } from './program.ts';

const BASE = 'hothouse/python:latest';
const FOREIGN = 'foreign-python:3.12.2-slim';

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

describe('with the documented configuration of python-docker-mcp and lean-docker-mcp', () => {
  let env: Record<string, string>;
  beforeAll(async () => {
    const HOME = await mkdtemp(join(tmpdir(), 'hothouse-older-'));
    await writeOlderConfiguration(HOME);
    env = { HOME, ...PYTHON_VARIABLES, ...LEAN_VARIABLES, HOTHOUSE_PYTHON_IMAGE: '' };
  });

  it('runs Python in our own image and reports the image setting that is not used', async () => {
    const code = 'import math\nprint(math.factorial(3))';
    const { status, stdout, stderr } = await ended(start(['run', 'python', '-'], env), code);
    expect([status, stdout]).toEqual([0, '6\n']);
    const lines = stderr.split('\n').filter((line) => line.includes('python:3.12.2-slim'));
    expect(lines).toEqual([expect.stringContaining('which is not used: python.image is "hothouse/python:latest".')]);
    expect(stderr).not.toMatch(/wrong|must be/);
  });

  it('says in one sentence what is missing where profiles.useImage names an image that is not there', async () => {
    const { status, stderr } = await ended(
      start(['run', 'python', '-'], { ...env, HOTHOUSE_PROFILES_USE_IMAGE: 'true' }),
      '1',
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('python:3.12.2-slim');
    const build = await ended(start(['build', 'python'], { ...env, HOTHOUSE_PROFILES_USE_IMAGE: 'true' }));
    expect([build.status === 0, build.stderr]).toEqual([
      false,
      expect.stringContaining('only images whose names begin with hothouse/ are built'),
    ]);
  });

  it('refuses the modules that its lists block or lack', async () => {
    for (const name of ['os', 'numpy']) {
      const { status, stderr } = await ended(start(['run', 'python', '-'], env), `import ${name}`);
      expect([status, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^ImportRefused: .*${name}`, 'm'))]);
    }
  });

  it('the doctor reports Python ready and no error', async () => {
    const { status, stdout } = await ended(start(['doctor'], env));
    expect(status).toBe(0);
    expect(stdout).toContain('Ready for python');
    expect(stdout.split('\n').filter((line) => line.startsWith('error'))).toEqual([]);
  });
});

describe('an image that Hothouse did not build', () => {
  beforeAll(() => docker('tag', BASE, FOREIGN));
  afterAll(() => docker('rmi', FOREIGN));

  it('is not overwritten by a build, whichever option names it', async () => {
    const before = docker('image', 'inspect', '--format', '{{.Id}}', FOREIGN);
    for (const named of [
      ['--image', FOREIGN],
      ['--set', `python.image=${FOREIGN}`],
    ]) {
      const { status, stderr } = await ended(start(['build', 'python', ...named]));
      expect(status).not.toBe(0);
      expect(stderr).toContain(`The option python.image is ${FOREIGN}`);
    }
    expect(docker('image', 'inspect', '--format', '{{.Id}}', FOREIGN)).toBe(before);
  });

  it('is used when our own options name it', async () => {
    const { status, stdout } = await ended(start(['run', 'python', '-', '--image', FOREIGN]), 'print(6 * 7)');
    expect([status, stdout]).toEqual([0, '42\n']);
  });
});
