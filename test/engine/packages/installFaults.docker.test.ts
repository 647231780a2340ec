import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { OptionsInput } from '../../../src/engine/options.ts';
import type { Engine, SessionStore } from '../../../src/engine/types.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { isOwnerAlive } from '../../../src/host/identity.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { sweep } from '../../../src/host/reaper.ts';
import { cell, installingEngine, openSession, PERSON } from './installing.ts';
import { type LocalIndex, localIndex } from './localIndex.ts';

const run = promisify(execFile);
const PROGRAM = path.join(import.meta.dirname, 'installingProcess.ts');
/** Of the package `half`, which is larger: a copy that stops there has begun. */
const HALF_BYTES = 1 << 20;
const machine = `packages-${randomBytes(8).toString('hex')}`;
const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });
const engines: Engine[] = [];

let index: LocalIndex;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-faults-'));
  index = await localIndex([
    { name: 'small', version: '1.0', files: { 'small.py': 'answer = 42\n' } },
    { name: 'half', version: '1.0', files: { 'half.py': 'answer = 44\n', 'half.txt': 'x'.repeat(4 * HALF_BYTES) } },
    { name: 'other', version: '1.0', files: { 'other.py': 'answer = 43\n' } },
  ]);
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()));
  await index.close();
  await rm(folder, { recursive: true });
  await run('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
  await host.dispose();
});

async function newEngine(packages: OptionsInput['packages'] = {}, store?: SessionStore): Promise<Engine> {
  const engine = await installingEngine(machine, { packages: { index: index.url, ...packages } }, store);
  engines.push(engine);
  return engine;
}

const containers = async () => (await host.list({ [LABEL.machine]: machine })).map(({ id }) => id);

async function inCache(command: string): Promise<string> {
  const volume = `hothouse-packages-${machine}:/cache`;
  return (await run('docker', ['run', '--rm', '--volume', volume, 'hothouse/python:latest', 'sh', '-c', command]))
    .stdout;
}

it('stops an installation that hangs at the deadline of the option; the session is as it was', async () => {
  const engine = await newEngine({ timeoutSeconds: 3, cacheMb: 0 });
  const id = await openSession(engine);
  await cell(engine, id, 'x = 41');
  const hung = await cell(engine, id, '%pip install slow\nx = 0');
  expect(hung).toMatchObject({ status: 'error', sessionLost: false, error: { name: 'InstallError' } });
  expect(hung.error?.message).toContain('took longer than 3 s and was stopped');
  expect(hung.error?.message).toContain('packages.timeoutSeconds');
  expect((await cell(engine, id, 'x')).result).toMatchObject({ 'text/plain': '41' });
  await expect.poll(() => index.connections()).toBe(0);
});

it('shows what the resolver says about a package that no index has, and the session is as it was', async () => {
  const engine = await newEngine();
  const id = await openSession(engine);
  await cell(engine, id, 'import json\nx = [1]');
  const refused = await cell(engine, id, '%pip install small no-such-package\nx.append(2)');
  expect(refused.error?.message).toContain('Because no-such-package was not found in the package registry');
  const after = await cell(engine, id, 'import importlib.util\n(x, importlib.util.find_spec("small"), json.dumps(x))');
  expect(after.result).toMatchObject({ 'text/plain': "([1], None, '[1]')" });
});

it('refuses packages where no manager installs them, with what to do instead', async () => {
  const engine = await newEngine();
  const request = { owner: PERSON, packages: ['jq'] };
  const bash = await openSession(engine, 'bash');
  expect(await engine.installPackages({ ...request, sessionId: bash })).toMatchObject({
    ok: false,
    error: { kind: 'invalid_request', advice: expect.stringContaining('their apt packages') },
  });
});

it('installs in two engines at the same time, which share the cache', async () => {
  const [one, other] = await Promise.all([newEngine(), newEngine()]);
  const ids = await Promise.all([openSession(one), openSession(other)]);
  const code = '%pip install -q small other\nimport small, other\nsmall.answer + other.answer';
  const both = await Promise.all([cell(one, ids[0], code), cell(other, ids[1], code)]);
  expect(both.map(({ status, result }) => [status, result?.['text/plain']])).toEqual([
    ['ok', '85'],
    ['ok', '85'],
  ]);
});

it('keeps a cache of downloads, and empties it above the limit of the option', async () => {
  const code = '%pip install -q small\nimport small\nsmall.answer';
  const kept = await newEngine();
  expect(await cell(kept, await openSession(kept), code)).toMatchObject({ error: null });
  expect(await inCache('find /cache/data/uv -name small.py | wc -l')).not.toBe('0\n');
  // Above the limit, and not looked at within the last hour.
  await inCache('head -c 2000000 /dev/zero >/cache/data/uv/filler; rm -f /cache/data/checked-pip');
  const limited = await newEngine({ cacheMb: 1 });
  const id = await openSession(limited);
  expect((await cell(limited, id, code)).result).toMatchObject({ 'text/plain': '42' });
  expect(await inCache('find /cache/data/uv -name small.py -o -name filler | wc -l')).toBe('0\n');
  expect(await cell(limited, id, '%pip install -q other\nimport other')).toMatchObject({ error: null });
});

/** Another engine, and the session of that record in it. */
async function resumedFrom(record: string) {
  const next = await newEngine({}, { save: async () => {}, remove: async () => {} });
  const resumed = await next.resumeSession(JSON.parse(await readFile(record, 'utf8')));
  if (!resumed.ok) throw new Error(resumed.error.message);
  return { next, id: resumed.value.info.id };
}

it('leaves nothing of an installation whose engine is killed: the session is as it was, and no container stays', async () => {
  // Engines that live would make warm sandboxes meanwhile.
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
  const record = join(folder, 'record.json');
  const args = ['--import', 'tsx', PROGRAM, machine, index.url, 'slow', record];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await expect.poll(() => index.connections()).toBeGreaterThan(0);
  } finally {
    child.kill('SIGKILL');
  }
  const { next, id } = await resumedFrom(record);
  const look = await cell(next, id, 'import os\n(x, os.path.exists("/packages/index"))');
  expect(look.result).toMatchObject({ 'text/plain': '(41, False)' });
  expect((await cell(next, id, '%pip install -q small\nimport small\nsmall.answer + x')).result).toMatchObject({
    'text/plain': '83',
  });
  await next.dispose();
  // Those of the killed engine end without its heartbeat, but for one that was made and not started: every engine sweeps.
  const left = async () => {
    await sweep({ host, clock: systemClock, log: silentLog, machine, isAlive: isOwnerAlive });
    return containers();
  };
  await expect.poll(left).toEqual([]);
  expect(await index.connections()).toBe(0);
});

it('shows nothing of packages whose engine is killed while it copies them into the session, and installs the same after', async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
  const record = join(folder, 'copied.json');
  const args = ['--import', 'tsx', PROGRAM, machine, index.url, 'half', record, String(HALF_BYTES)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let volumes: string[] = [];
  try {
    await once(child.stdout, 'data');
    const { sandboxId } = JSON.parse(await readFile(record, 'utf8'));
    volumes = await volumesOf(await containers());
    // Docker has unpacked a part of the copy. It starts no program in a container while it copies.
    await expect.poll(() => filesIn(sandboxId)).toContain('half.');
    expect(await filesIn(sandboxId)).not.toContain('/index/');
    expect(volumes.length).toBeGreaterThan(0);
  } finally {
    child.kill('SIGKILL');
  }
  const { next, id } = await resumedFrom(record);
  const look = 'import importlib.util, os\n(x, importlib.util.find_spec("half"), os.path.exists("/packages/index"))';
  expect((await cell(next, id, look)).result).toMatchObject({ 'text/plain': '(41, None, False)' });
  const again =
    '%pip install -q small half\nimport half, os, small\n(half.answer + x, os.path.getsize(os.path.join(os.path.dirname(half.__file__), "half.txt")), small.answer)';
  expect((await cell(next, id, again)).result).toMatchObject({ 'text/plain': `(85, ${4 * HALF_BYTES}, 42)` });
  await next.dispose();
  const left = async () => {
    await sweep({ host, clock: systemClock, log: silentLog, machine, isAlive: isOwnerAlive });
    const { stdout } = await run('docker', ['volume', 'ls', '--quiet']);
    return [...(await containers()), ...stdout.split('\n').filter((name) => volumes.includes(name))];
  };
  await expect.poll(left).toEqual([]);
});

/** The anonymous volumes of these containers, without waiting for copies into them. */
async function volumesOf(ids: readonly string[]): Promise<string[]> {
  const filters = ids.flatMap((id) => ['--filter', `id=${id}`]);
  const { stdout } = await run('docker', ['ps', '--all', '--no-trunc', ...filters, '--format', '{{.Mounts}}']);
  return stdout.split(/[\n,]/).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

/** The files in the volumes of a container. */
async function filesIn(id: string): Promise<string> {
  const mounts = (await volumesOf([id])).flatMap((name) => ['--volume', `${name}:/volumes/${name}`]);
  const find = ['hothouse/python:latest', 'find', '/volumes', '-type', 'f'];
  return (await run('docker', ['run', '--rm', ...mounts, ...find])).stdout;
}
