import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const ROOT = new URL('../..', import.meta.url);
const load = (name: string) => import(new URL(`src/setup/${name}`, ROOT).href);
const { announce } = await load('announce.mjs');
const { installPackages } = await load('apt.mjs');
const { planPython } = await load('python.mjs');
const { sudoCommand } = await load('root.mjs');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-setup-'));
});
afterEach(() => vi.unstubAllEnvs());

/** A run of a setup program: its output and its end. */
function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const shows = async (words: string) => {
    while (!text.includes(words) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return { child, ended, shows, text: () => text };
}

/** A program of that name, first in the path. */
async function fake(name: string, script: string): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/bash\n${script}\n`);
  await chmod(path, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
}

describe('the plan of setup', () => {
  const step = { verb: 'install', what: 'docker.io', mb: 300 };

  async function announced(steps: readonly object[], interactive: boolean) {
    const text: string[] = [];
    const waited: number[] = [];
    const tools = {
      print: (line: string) => text.push(line),
      wait: async (ms: number) => waited.push(ms),
      interactive,
    };
    await announce([async () => steps, async () => steps], tools);
    return { text: text.join('\n'), waited };
  }

  it('is printed once, with a wait on a terminal', async () => {
    const { text, waited } = await announced([step], true);
    expect(text.match(/install {2}docker\.io, about 300 MB/g)).toHaveLength(1);
    expect(text).toContain('Ctrl+C');
    expect(waited).toEqual([5000]);
  });

  it('is printed without a wait where no user can answer', async () => {
    const { text, waited } = await announced([step], false);
    expect(text).toContain('docker.io');
    expect([text.includes('Ctrl+C'), waited]).toEqual([false, []]);
  });

  it('is not printed when it is empty', async () => {
    expect(await announced([], true)).toEqual({ text: '', waited: [] });
  });
});

describe('npm start', () => {
  const env = () => ({ HOTHOUSE_CACHE_DIR: folder, DISPLAY: '', WAYLAND_DISPLAY: '' });

  it('prints its plan on a terminal, and Ctrl+C cancels it before any change', async () => {
    const run = start('script', ['-qefc', `${process.execPath} src/setup/start.mjs`, '/dev/null'], {
      ...env(),
      CI: '',
    });
    await run.shows('Ctrl+C');
    run.child.stdin.write('\x03');
    await run.ended;
    expect(run.text()).toMatch(/download VS Code for the browser into .*, about \d+ MB/);
    expect(run.text()).toContain('Press Ctrl+C to cancel');
    expect(run.text()).not.toContain('Dependencies');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['start', 'test'])('src/setup/%s.mjs --plan only prints the plan', async (name) => {
    const run = start(process.execPath, [`src/setup/${name}.mjs`, '--plan'], env());
    await run.ended;
    expect(run.child.exitCode).toBe(0);
    expect(run.text()).toMatch(/download Node [\d.]+ into /);
    expect(run.text()).not.toMatch(/Ctrl\+C|Dependencies/);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the Python for the tests of the agent', () => {
  it.each([
    ['there is none of version 3.9 with its whole library', 'exit 1', [{ verb: 'install' }]],
    ['there is one', 'exit 0', []],
  ])('is planned when %s', async (_, python, steps) => {
    await fake('python3', python);
    await fake('dpkg-query', 'exit 1');
    expect(await planPython()).toMatchObject(steps);
  });
});

describe('npm run lean', () => {
  /** A copy of set-up in a checkout of its own, with nothing beside it and no elan. */
  async function copied(args: readonly string[], env: NodeJS.ProcessEnv) {
    const setup = join(folder, 'checkout/src/setup');
    await cp(new URL('src/setup', ROOT), setup, { recursive: true });
    await fake('elan', 'exit 1');
    const home = { HOME: folder, HOTHOUSE_CACHE_DIR: join(folder, 'cache'), HOTHOUSE_TEST_LEAN_IMAGE: '' };
    const run = start(process.execPath, [join(setup, 'lean.mjs'), ...args], {
      ...home,
      LEAN_TOOLCHAIN_DIR: '',
      ...env,
    });
    await run.ended;
    return { status: run.child.exitCode, text: run.text() };
  }

  it('--plan only prints the image that it builds from a toolchain', async () => {
    for (const engine of ['docker', 'podman']) await fake(engine, 'exit 1');
    await mkdir(join(folder, 'bin'));
    await fake('bin/lean', 'exit 1');
    await mkdir(join(folder, 'checkout/images'), { recursive: true });
    await cp(new URL('images/python', ROOT), join(folder, 'checkout/images/python'), { recursive: true });
    const { status, text } = await copied(['--plan'], { LEAN_TOOLCHAIN_DIR: folder });
    expect(status).toBe(0);
    expect(text).toMatch(/build +the image hothouse\/lean-test:latest .*, about \d+ MB/);
  });

  it('skips the tests without Lean, and fails in a CI job', async () => {
    expect(await copied([], { CI: '' })).toMatchObject({ status: 0, text: expect.stringMatching(/^skip .* Lean/) });
    expect(await copied([], { CI: 'true' })).toMatchObject({
      status: 1,
      text: expect.stringContaining('there is no Lean here'),
    });
  });
});

describe('the commands of setup', () => {
  it('run apt without input and without prompts', async () => {
    const record = join(folder, 'record');
    await fake('dpkg-query', 'exit 1');
    await fake('sudo', 'while [[ $1 == -* ]]; do shift; done; exec "$@"');
    await fake('apt-get', `read -r answer && exit 9; echo "$DEBIAN_FRONTEND $NEEDRESTART_MODE $*" >> ${record}`);
    await installPackages(['no-such-package'], 'A test');
    const lines = (await readFile(record, 'utf8')).trim().split('\n');
    const install = lines.find((line) => line.includes('no-such-package'));
    expect(install).toMatch(/^noninteractive a .*--force-confdef.*--force-confold.* install -y /);
  });

  it('do not let sudo ask for a password without a terminal', async () => {
    const record = join(folder, 'record');
    await fake('sudo', `echo "$*" >> ${record}; exit 1`);
    expect(await sudoCommand()).toBeNull();
    expect(await readFile(record, 'utf8')).toBe('-n true\n');
  });
});
