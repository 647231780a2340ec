import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { ALICE } from './engineBench.ts';
import { type LocalIndex, localIndex } from './packages/localIndex.ts';

const BUILDS_MS = 300_000;
const VERSIONS = ['1.0', '2.0', '3.0'];
let home: string;
let index: LocalIndex;
let engine: Engine;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-lists-'));
  index = await localIndex(VERSIONS.map((version) => ({ name: 'greeting', version, files: { 'greeting.py': '' } })));
  const options = Options.parse({ pool: { size: 1 }, packages: { index: index.url } });
  const imagesFolder = join(import.meta.dirname, '../../images');
  engine = await createLocalEngine({ options, log: silentLog, env: process.env, home, imagesFolder });
});
afterAll(async () => {
  for (const { name } of await engine.environments.list()) await engine.environments.remove(name);
  await engine.dispose();
  await index.close();
  await rm(home, { recursive: true });
});

it(
  'environments of one language have the packages of their own lists, built one after the other or together',
  async () => {
    // Of this test alone: another one's images must not be found.
    const variables = { LIST: home };
    const create = async (version: string) => {
      const packages = { pip: [`greeting==${version}`] };
      const made = await engine.environments.create({ name: `v${version}`, language: 'python', packages, variables });
      if (!made.ok) throw new Error(made.error.message);
    };
    await create('1.0');
    await Promise.all(['2.0', '3.0'].map(create));
    const code = 'import importlib.metadata\nprint(importlib.metadata.version("greeting"))';
    for (const version of VERSIONS) {
      const run = await engine.run({ language: 'python', owner: ALICE, code, environment: `v${version}` });
      expect(run).toMatchObject({ error: null, stdout: `${version}\n` });
    }
  },
  BUILDS_MS,
);
