import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { EnvironmentInput } from '../../src/engine/environment/definition.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { ALICE } from './engineBench.ts';

const BUILD_MS = 300_000;
/** One pure package, one with a program, and one from Debian. */
const INPUT: EnvironmentInput = {
  name: 'built',
  language: 'python',
  packages: { pip: ['cowsay==6.1', 'iniconfig'], apt: ['hello'] },
  variables: { GREETING: 'moo' },
};
let home: string;
let engine: Engine;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-environments-'));
  engine = await createLocalEngine({
    options: Options.parse({ pool: { size: 1 } }),
    log: silentLog,
    env: process.env,
    home,
    imagesFolder: join(import.meta.dirname, '../../images'),
  });
});
afterAll(async () => {
  for (const { name } of await engine.environments.list()) await engine.environments.remove(name);
  await engine.dispose();
  await rm(home, { recursive: true });
});

async function output(code: string, environment: string): Promise<string> {
  const { stdout, error } = await engine.run({ language: 'python', owner: ALICE, code, environment });
  return error ? `${error.name}: ${error.message}` : stdout;
}

const VERSIONS = `
import importlib.metadata, os, subprocess
print(*(importlib.metadata.version(name) for name in ('cowsay', 'iniconfig')), os.environ['GREETING'])
print(subprocess.run(['hello'], capture_output=True, text=True).stdout, end='')
`;

describe('an environment', () => {
  it(
    'is built with packages of pip and apt, the second time at once, and again from its lock',
    async () => {
      const lines: string[] = [];
      const made = await engine.environments.create(INPUT, { onLine: (line) => lines.push(line) });
      if (!made.ok) throw new Error(`${made.error.message}\n${lines.join('\n')}`);
      expect(lines.join('\n')).toContain('pip.py');
      const versions = await output(VERSIONS, 'built');
      expect(versions).toMatch(/^6\.1 [\d.]+ moo\nHello, world!\n$/);

      const count = lines.length;
      const again = await engine.environments.create(
        { ...INPUT, name: 'again' },
        { onLine: (line) => lines.push(line) },
      );
      expect(again).toMatchObject({ ok: true, value: { image: made.value.image, lock: made.value.lock } });
      expect(lines.slice(count)).toEqual([]);

      const { lock } = made.value;
      expect(lock.pip).toMatch(/cowsay==6\.1 \\\n {4}--hash=sha256:/);
      expect(lock.apt).toMatch(/^hello=2\.[\d.-]+ sha256:[0-9a-f]{64}$/m);
      const locked = await engine.environments.create({ ...INPUT, name: 'locked' }, { lock });
      if (!locked.ok) throw new Error(locked.error.message);
      expect(locked.value.image).not.toBe(made.value.image);
      expect(locked.value.lock).toEqual(lock);
      expect(await output(VERSIONS, 'locked')).toBe(versions);
      const other = { ...lock, apt: lock.apt?.replace(/sha256:\w+/, `sha256:${'0'.repeat(64)}`) };
      const refused = await engine.environments.create({ ...INPUT, name: 'other' }, { lock: other });
      expect(refused).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
      expect(JSON.stringify(refused)).toMatch(/hello=\S+ has the digest sha256:\w+; the lock has sha256:0+\. Nothing/);
      expect(await readdir(join(home, '.hothouse', 'environments'))).toHaveLength(3);
    },
    BUILD_MS,
  );

  it('keeps nothing of the build machine, and its sandboxes have no network', async () => {
    const code = `
import os, pathlib
found = [str(p) for f in ('/machine', '/cache', '/tools') for p in pathlib.Path(f).rglob('*') if p.is_file()]
for folder in ('/etc', '/usr/share/hothouse', '/root', '/var/lib/apt', '/var/cache/apt'):
    for path in pathlib.Path(folder).rglob('*'):
        try:
            text = path.read_bytes() if path.is_file() else b''
        except OSError:
            continue
        if b'99machine' in text or path.name in ('pip.conf', '.npmrc') or path.suffix == '.deb':
            found.append(str(path))
print(found, [line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]])
`;
    expect(await output(code, 'built')).toBe("[] ['lo']\n");
  });

  it(
    'that cannot be resolved fails with the words of the resolver, and nothing is kept',
    async () => {
      const packages = { pip: ['cowsay==6.1', 'cowsay-does-not-exist-9f3a'] };
      const failed = await engine.environments.create({ ...INPUT, name: 'failing', packages });
      expect(failed).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
      expect(JSON.stringify(failed)).toContain('cowsay-does-not-exist-9f3a was not found');
      expect((await engine.environments.list()).map(({ name }) => name)).not.toContain('failing');
    },
    BUILD_MS,
  );

  it(
    'that is cancelled or takes too long ends',
    async () => {
      const slow = { ...INPUT, name: 'slow', packages: { apt: ['gcc', 'sl'] } };
      const controller = new AbortController();
      const onLine = () => controller.abort();
      const cancelled = await engine.environments.create(slow, { onLine, signal: controller.signal });
      expect(cancelled).toMatchObject({ ok: false, error: { kind: 'cancelled' } });

      engine.configure(Options.parse({ environments: { buildMinutes: 0.02 } }));
      const late = await engine.environments.create(slow);
      expect(late).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
      expect(JSON.stringify(late)).toContain('was not built within 1 s');
      engine.configure(Options.parse({}));
    },
    BUILD_MS,
  );

  it('on an image that Docker does not have is refused without a pull', async () => {
    const refused = await engine.environments.create({ ...INPUT, name: 'other', base: 'hothouse/nowhere:1' });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'image_missing' } });
  });
});
