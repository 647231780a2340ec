import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine, Owner } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { askEngine } from '../faults/engineApi.ts';
import { OwnEngine, skipped } from '../faults/ownEngine.ts';

const INDEX = join(import.meta.dirname, 'packages/indexProcess.ts');
const MB = 1 << 20;
const PLENTY = 4_096 * MB;

const docker = promisify(execFile);
let own: OwnEngine;
let index: ChildProcess;
let home: string;
let engine: Engine;

async function setUp(): Promise<void> {
  own = await OwnEngine.create({ hasNetwork: true, hasDisk: true });
  index = own.spawnInside(['--import', 'tsx', INDEX]);
  const [url] = await once(index.stdout ?? process.stdin, 'data');
  home = await mkdtemp(join(tmpdir(), 'hothouse-disk-'));
  engine = await createLocalEngine({
    options: options({}),
    log: silentLog,
    env: { PATH: process.env.PATH, HOME: home, PIP_INDEX_URL: String(url).trim() },
    home,
    imagesFolder: join(import.meta.dirname, '../../images'),
  });
}

async function tearDown(): Promise<void> {
  await engine?.dispose();
  index?.kill();
  await own?.dispose();
  await rm(home, { recursive: true, force: true });
}

function options(environments: object): Options {
  return Options.parse({ docker: { host: own.host }, pool: { size: 1 }, environments });
}

async function cli(...args: string[]): Promise<string> {
  return (await docker('docker', ['--host', own.host, ...args])).stdout;
}

async function create(name: string, pip: string[], lines: string[] = []) {
  return engine.environments.create(
    { name, language: 'python', packages: { pip } },
    { onLine: (line) => lines.push(line) },
  );
}

describe.skipIf(skipped('environments on a full disk'))('the build of an environment', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it('that needs more than Docker has says so before it installs', async () => {
    await own.leave(100 * MB);
    const lines: string[] = [];
    expect(await create('full', ['small'], lines)).toMatchObject({ ok: false, error: { kind: 'disk_full' } });
    expect(lines.join('\n')).toMatch(/the build needs about 256 MB of Docker's disk, which has \d+ MB/);

    await own.leave(400 * MB);
    const sized = await create('sized', ['large-sized'], lines);
    expect(sized).toMatchObject({ ok: false, error: { kind: 'disk_full' } });
    expect(JSON.stringify(sized)).toMatch(
      /needs about 18\d\d MB of Docker's disk, which has 3\d\d MB. Nothing was installed/,
    );
    expect(lines.join('\n')).not.toContain('Prepared');
  });

  it('that fills the disk half way fails with the reason, leaves nothing, and the next one works', async () => {
    await own.leave(PLENTY);
    expect(await create('first', ['small'])).toMatchObject({ ok: true });
    await own.leave(300 * MB);
    const images = await cli('images', '--all', '--quiet');
    const half = await create('half', ['large']);
    expect(half).toMatchObject({ ok: false, error: { kind: 'disk_full' } });
    expect(JSON.stringify(half)).toMatch(/Docker Engine's disk is full: .*no space left on device/i);
    expect(await cli('images', '--all', '--quiet')).toBe(images);
    expect(await cli('ps', '--all', '--quiet')).toBe('');
    expect((await engine.environments.list()).map(({ name }) => name)).toEqual(['first']);

    await own.leave(PLENTY);
    expect(await create('half', ['large'])).toMatchObject({ ok: true });
  });

  it('keeps at most the option of its cache, and what other builds have cached stays', async () => {
    const files = { Dockerfile: 'FROM hothouse/python:latest\nRUN touch /other\n' };
    const other = { tag: 'other', context: join(home, 'empty'), files, buildArgs: {}, labels: {}, hasMounts: true };
    await mkdir(other.context);
    const host = dockerHost({ host: own.host, env: {}, home, log: silentLog });
    await host.images.build(other, () => {});
    await host.dispose();
    const others = async () => (await cached()).filter(({ Description }) => Description.includes('touch /other'));
    const ours = async () => (await cached()).filter(({ Description }) => Description.includes('/machine/'));
    const sizeOf = (records: readonly { Size: number }[]) => records.reduce((sum, { Size }) => sum + Size, 0);
    expect(sizeOf(await ours())).toBeGreaterThan(100 * MB);
    expect(await others()).toHaveLength(1);

    engine.configure(options({ cacheMb: 50 }));
    expect(await create('third', ['small>=1'])).toMatchObject({ ok: true });
    expect(sizeOf((await ours()).filter(({ Shared }) => !Shared))).toBeLessThan(50 * MB);
    expect(await others()).toHaveLength(1);
  });
});

describe.skipIf(skipped('installations on a full disk'))('an installation into a session', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it('ends before the copy for the session would fill the disk; the session is as it was', async () => {
    const owner: Owner = { id: 'person', kind: 'notebook', label: 'notebook' };
    const opened = await engine.openSession('python', owner);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    const cell = (code: string) => engine.run({ language: 'python', code, owner, sessionId });
    await cell('x = 41');
    // The wheel's files are in the cache, in the installer, and then in the session.
    await own.leave(1_500 * MB);
    const full = await engine.installPackages({ sessionId, owner, packages: ['large'] });
    expect(full).toMatchObject({
      ok: false,
      error: { kind: 'install_failed', message: expect.stringContaining('the disk of the machine is almost full') },
    });
    expect((await cell('import os\n(x, os.path.exists("/packages/index"))')).result).toMatchObject({
      'text/plain': '(41, False)',
    });
    await own.leave(PLENTY);
    expect(await engine.installPackages({ sessionId, owner, packages: ['large'] })).toMatchObject({ ok: true });
    expect(await cell('import importlib.metadata as m\nprint(m.version("large"))')).toMatchObject({ stdout: '1.0\n' });
  });
});

async function cached(): Promise<readonly { Description: string; Size: number; Shared: boolean }[]> {
  const { body } = await askEngine('GET', '/system/df', own.host.replace('unix://', ''));
  return JSON.parse(body).BuildCache;
}
