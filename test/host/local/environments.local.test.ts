import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentInput } from '../../../src/engine/environment/definition.ts';
import type { Engine, Owner } from '../../../src/engine/types.ts';
import { type IndexedPackage, type LocalIndex, localIndex } from '../../engine/packages/localIndex.ts';
import { type LocalRegistry, localRegistry, type RegisteredPackage } from '../../engine/packages/localRegistry.ts';
import { spyingPackage } from '../../engine/packages/spyingPackage.ts';
import { engineIn } from './engineIn.ts';

const OWNER: Owner = { id: 'test', kind: 'cli', label: 'test' };
const BUILD_MS = 300_000;
const SECRET = 'a secret of the user';

/** Python code whose `seen` is the text of whatever it finds of the user: files, variables of processes, links that lead out. */
const look = (home: string) => `
import glob, os
seen = []
for path in [${JSON.stringify(path.join(home, 'secret'))}, *glob.glob("/proc/[0-9]*/environ"), *glob.glob("/home/*"), *glob.glob("/root/*"), *glob.glob("/tmp/*/secret")]:
    try:
        seen.append(open(path, errors="replace").read())
    except OSError as error:
        pass
for path in ("/usr/left", "/base/left", "/build/left", "/given/left"):
    try:
        open(path, "w")
        seen.append("wrote " + path)
    except OSError:
        pass
`;

/** The same while a wheel is built, which also tries to open the user's folder to the code that uses the environment later. */
const lookAndLink = (home: string) => `${look(home)}
if os.access("/environment", os.W_OK):
    os.symlink(${JSON.stringify(home)}, "/environment/node_modules")`;

const packages = (home: string): IndexedPackage[] => [
  { name: 'greeting', version: '1.0', files: { 'greeting.py': 'text = "one"\n' } },
  { name: 'greeting', version: '2.0', files: { 'greeting.py': 'text = "two"\n' } },
  {
    name: 'program',
    version: '1.0',
    requires: ['greeting<2'],
    files: {
      'program.py': 'def main():\n    import greeting\n    print("program says", greeting.text)\n',
      'program-1.0.dist-info/entry_points.txt': '[console_scripts]\nprogram = program:main\n',
    },
  },
  { name: 'tqdm', version: '99.0', files: { 'tqdm/__init__.py': '__version__ = "99.0"\n' } },
  spyingPackage(lookAndLink(home)),
];

const modules = (home: string): RegisteredPackage[] => [
  ['greeting', '1.0.0', { 'index.js': 'exports.text = "one"' }],
  [
    'spying',
    '1.0.0',
    {
      'spy.py': `${look(home)}\nimport json\njson.dump(seen, open("seen.json", "w"))\n`,
      'index.js': 'module.exports = require("./seen.json")',
    },
    { scripts: { postinstall: 'python3 spy.py' } },
  ],
];

let home: string;
let engine: Engine;
let index: LocalIndex;
let registry: LocalRegistry;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-environments-'));
  await writeFile(path.join(home, 'secret'), SECRET);
  const builder = await newEngine(process.env);
  for (const language of ['python', 'node', 'bash']) {
    expect(await builder.buildEnvironment(language, () => {})).toMatchObject({ ok: true });
  }
  await builder.dispose();
  index = await localIndex(packages(home), '127.0.0.1');
  registry = await localRegistry(modules(home), '127.0.0.1');
  const indexes = { PIP_INDEX_URL: index.url, npm_config_registry: registry.url };
  engine = await newEngine({ ...process.env, ...indexes, TOKEN: SECRET });
}, BUILD_MS);
afterAll(async () => {
  await engine.dispose();
  await index.close();
  registry.close();
  await rm(home, { recursive: true });
});

const newEngine = (env: NodeJS.ProcessEnv) => engineIn(home, { options: { pool: { size: 1, prewarm: false } }, env });

async function create(input: EnvironmentInput, how: Parameters<Engine['environments']['create']>[1] = {}) {
  const lines: string[] = [];
  const made = await engine.environments.create(input, { onLine: (line) => lines.push(line), ...how });
  return { made, lines };
}

async function created(input: EnvironmentInput, how?: Parameters<Engine['environments']['create']>[1]) {
  const { made, lines } = await create(input, how);
  if (!made.ok) throw new Error(`${made.error.message}\n${lines.join('\n')}`);
  return { ...made.value, lines };
}

const run = async (environment: string, code: string, language = 'python') => {
  const { stdout, stderr } = await engine.run({ language, environment, code, owner: OWNER });
  return stdout + stderr;
};

const folders = () => readdir(path.join(home, '.hothouse/local/environments'));

describe('an environment without a container engine', () => {
  it('has the packages of pip and the variables of its definition beside those of its language', async () => {
    const packages = { pip: ['program', 'tqdm'] };
    const { lines } = await created({ name: 'built', language: 'python', packages, variables: { GREETING: 'moo' } });
    expect(lines.join('\n')).toContain(' + greeting==1.0');
    const code = [
      'import greeting, numpy, os, subprocess',
      'print(greeting.text, os.environ["GREETING"], numpy.arange(3).sum())',
      'print(subprocess.run(["program"], capture_output=True, text=True).stdout, end="")',
    ].join('\n');
    expect(await run('built', code)).toBe('one moo 3\nprogram says one\n');
  });

  it('is there at once when another one has the same content, and goes with the last of them', async () => {
    const packages = { pip: ['greeting==1.0'] };
    await created({ name: 'one', language: 'python', packages });
    const before = await folders();
    expect((await created({ name: 'other', language: 'python', packages, variables: { A: 'b' } })).lines).toEqual([]);
    expect(await folders()).toHaveLength(before.length + 1);
    await engine.environments.remove('one');
    expect(await run('other', 'import greeting, os; print(greeting.text, os.environ["A"])')).toBe('one b\n');
    await engine.environments.remove('other');
    expect(await folders()).toHaveLength(before.length - 2);
  });

  it('is built again from its lock', async () => {
    const { lock } = await created({ name: 'locked', language: 'python', packages: { pip: ['greeting<2'] } });
    expect(lock.pip).toMatch(/^greeting==1\.0 \\\n +--hash=sha256:[0-9a-f]{64}\n$/);
    await engine.environments.remove('locked');
    const again = await created({ name: 'again', language: 'python', packages: { pip: ['greeting'] } }, { lock });
    expect(again.lock).toEqual(lock);
    expect(await run('again', 'import greeting; print(greeting.text)')).toBe('one\n');
  });

  it('has packages of npm for code in every folder', async () => {
    const packages = { npm: ['greeting'] };
    const { lock } = await created({ name: 'modules', language: 'node', packages });
    expect(lock.npm).toContain('"node_modules/greeting"');
    const code = 'console.log(require("greeting").text, (await import("greeting")).default.text)';
    expect(await run('modules', code, 'node')).toBe('one one\n');
  });

  it('may have variables alone', async () => {
    await created({ name: 'variables', language: 'bash', variables: { A: 'b' } });
    expect(await run('variables', 'echo $A', 'bash')).toBe('b\n');
  });

  it('fails with the last lines of its step, and leaves nothing', async () => {
    const before = await folders();
    const packages = { pip: ['no-such-package'] };
    const { made, lines } = await create({ name: 'missing', language: 'python', packages });
    expect(made).toMatchObject({
      ok: false,
      error: { kind: 'build_failed', message: expect.stringContaining('no-such-package was not found') },
    });
    // No code of packages would find it.
    expect(lines.join('\n')).not.toContain('Once more');
    expect(lines.filter((line) => line.includes('was not found'))).toHaveLength(1);
    expect(await folders()).toEqual(before);
  });

  it('fails at once where a package of npm is missing', async () => {
    const { made, lines } = await create({ name: 'missing', language: 'node', packages: { npm: ['no-such-module'] } });
    expect(made).toMatchObject({
      ok: false,
      error: { kind: 'build_failed', message: expect.stringContaining('no-such-module') },
    });
    expect(lines.join('\n')).not.toContain('Once more');
  });

  it('ends its build at once when that is cancelled', async () => {
    const before = await folders();
    const stop = new AbortController();
    const building = create({ name: 'slow', language: 'python', packages: { pip: ['slow'] } }, { signal: stop.signal });
    await expect.poll(() => index.asked).toContain('/simple/slow/');
    stop.abort();
    expect((await building).made).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    await expect.poll(folders).toEqual(before);
    await expect.poll(() => index.connections()).toBe(0);
  });

  it.each([
    [{ packages: { apt: ['hello'] } }, 'Debian packages need a container engine.'],
    [{ base: 'debian:trixie' }, 'The image debian:trixie needs a container engine.'],
  ])('is refused with what only a container engine has: %j', async (parts, message) => {
    const { made } = await create({ name: 'refused', language: 'bash', ...parts });
    expect(made).toMatchObject({ ok: false, error: { message, advice: expect.stringContaining('host.kind') } });
  });
});

describe('packages for a living session', () => {
  async function open(language: string, environment?: string) {
    const opened = await engine.openSession(language, OWNER, undefined, environment);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    return async (code: string) => {
      const { stdout, error } = await engine.run({
        language,
        code,
        owner: OWNER,
        sessionId,
        mayInstall: true,
      });
      return error ? `${error.name}: ${error.message}` : stdout;
    };
  }

  it('come from the index of the machine; variables stay, and the session has no network', async () => {
    const cell = await open('python');
    await cell('x = 41');
    expect(await cell('%pip install -q program\nimport greeting; print(x + 1, greeting.text)')).toBe('42 one\n');
    expect(await cell('!program')).toBe('program says one\n');
    const { port } = new URL(index.url);
    const connect = `import socket; socket.create_connection(("127.0.0.1", ${port}), 5)`;
    expect(await cell(connect)).toMatch(/^(ConnectionRefusedError|OSError):/);
  });

  it('come into a session of an environment, beside its own', async () => {
    await created({ name: 'grown', language: 'python', packages: { pip: ['greeting==1.0'] } });
    const cell = await open('python', 'grown');
    expect(
      await cell('%pip install -q "tqdm==99.0"\nimport greeting, tqdm; print(greeting.text, tqdm.__version__)'),
    ).toContain('one 99.0\n');
  });

  it('are built where nothing of the user is', async () => {
    const cell = await open('python');
    const seen = await cell('%pip install -q spying\nimport spying; print(spying.seen)');
    expect(seen).toMatch(/^\[/);
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain('wrote');
  });

  it('come from the registry of the machine for Node.js', async () => {
    const cell = await open('node');
    await cell('const x = 41');
    expect(await cell('!npm install greeting\nconsole.log(x + 1, require("greeting").text)')).toContain('42 one\n');
  });

  it('that are not there leave the session as it was', async () => {
    const cell = await open('python');
    await cell('x = 41');
    expect(await cell('%pip install no-such-package')).toContain('no-such-package was not found');
    expect(await cell('print(x)')).toBe('41\n');
  });
});

describe('code of a package, while it is built,', () => {
  it('sees nothing of the user, as pip runs it', async () => {
    await created({ name: 'spied', language: 'python', packages: { pip: ['spying'] } });
    const seen = await run('spied', 'import spying; print(spying.seen)');
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain('wrote');
    expect(seen).toContain('HOTHOUSE_ROOT');
  });

  it('sees nothing of the user, as npm runs it', async () => {
    await created({ name: 'spied-npm', language: 'node', packages: { npm: ['spying'] } });
    const seen = await run('spied-npm', 'console.log(require("spying").join())', 'node');
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain('wrote');
    expect(seen).toContain('HOTHOUSE_ROOT');
  });

  it('opens no folder of the user to the code that uses it later', async () => {
    await created({ name: 'linking', language: 'python', packages: { pip: ['spying'] } });
    expect(await run('linking', 'import os; print(os.path.exists("/node_modules"))')).toBe('False\n');
  });

  it('changes no download that other builds use', async () => {
    await created({ name: 'downloaded', language: 'python', packages: { pip: ['greeting==2.0'] } });
    await created({ name: 'compiled', language: 'python', packages: { pip: ['spying'] } });
    const names = await readdir(path.join(home, '.hothouse/local/cache'), { recursive: true });
    expect(names.filter((name) => name.includes('greeting'))).not.toEqual([]);
    expect(names.filter((name) => name.includes('spying-1.0-py3'))).toEqual([]);
  });
});
