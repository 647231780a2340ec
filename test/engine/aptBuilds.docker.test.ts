import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Options } from '../../src/engine/options.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';

const BUILDS_MS = 600_000;

it(
  "builds environments with Debian packages at the same time: apt's cache, which they share, serves one after the other",
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'hothouse-apt-'));
    const engine = await createLocalEngine({
      options: Options.parse({ pool: { size: 1 } }),
      log: silentLog,
      // Docker has the steps of an earlier run, unless a setting of the machine is another one.
      env: { ...process.env, PIP_EXTRA_INDEX_URL: `http://index.invalid/${Date.now()}` },
      home,
      imagesFolder: join(import.meta.dirname, '../../images'),
    });
    try {
      const built = await Promise.all(
        ['hello', 'sl', 'cowsay'].map((name) =>
          engine.environments.create({ name: `apt-${name}`, language: 'bash', packages: { apt: [name] } }),
        ),
      );
      const locks = built.map((one) => (one.ok ? one.value.lock.apt : one.error.message));
      expect(locks).toEqual([
        expect.stringMatching(/^hello=/m),
        expect.stringMatching(/^sl=/m),
        expect.stringMatching(/^cowsay=/m),
      ]);
    } finally {
      for (const { name } of await engine.environments.list()) await engine.environments.remove(name);
      await engine.dispose();
      await rm(home, { recursive: true });
    }
  },
  BUILDS_MS,
);
