import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { FakeHost } from '../host/fakeHost.ts';

/** What the older servers advise for a pool: size, concurrent creations and maximum age in seconds. */
const PRESETS = [
  ['a laptop', 2, 1, 1800],
  ['a laptop at most', 3, 2, 1800],
  ['a workstation', 10, 5, 1800],
  ['a server', 30, 10, 3600],
  ['a training cluster', 32, 10, 3600],
  ['a training cluster at most', 128, 20, 7200],
  ['a single agent', 5, 3, 300],
] as const;

const PROGRAMS = ['python-docker-mcp', 'lean-docker-mcp'] as const;

type Settings = Readonly<Record<'pool_size' | 'max_concurrent_creations' | 'pool_max_age', number>>;

/** A home folder, and the variables of a process, that have the settings in one of the two ways. */
async function configured(program: string, settings: Settings, way: 'file' | 'variables') {
  const home = await mkdtemp(join(tmpdir(), 'hothouse-presets-'));
  const prefix = program.replaceAll('-', '_').toUpperCase();
  const entries = Object.entries(settings);
  if (way === 'variables')
    return {
      home,
      env: Object.fromEntries(entries.map(([key, value]) => [`${prefix}_${key.toUpperCase()}`, `${value}`])),
    };
  const file = join(home, `.${program}`, 'config.yaml');
  await mkdir(dirname(file));
  await writeFile(file, `docker:\n${entries.map(([key, value]) => `  ${key}: ${value}\n`).join('')}`);
  return { home, env: {} };
}

describe.each(PROGRAMS)('the pools that %s advises', (program) => {
  it.each(PRESETS)('hold for %s', async (_, size, creations, age) => {
    const settings = { pool_size: size, max_concurrent_creations: creations, pool_max_age: age };
    const { options, problems, notes } = await loadConfiguration({
      flags: {},
      ...(await configured(program, settings, 'file')),
    });
    const byVariables = await loadConfiguration({ flags: {}, ...(await configured(program, settings, 'variables')) });
    expect([problems, notes, byVariables.problems]).toEqual([[], [], []]);
    expect(byVariables.options.pool).toEqual(options.pool);
    expect(options.pool).toMatchObject({ size, maxConcurrentCreations: creations, maxAgeSeconds: age });

    const host = new FakeHost({ faults: { createMs: 5 } });
    const engine = createEngine({
      ...{ connect: () => host, agent: Buffer.from('00000004pass'), options, clock: systemClock, log: silentLog },
      ...{ identity: { machine: 'test', owner: 'test' }, languages: LANGUAGES },
      images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
    });
    const owner = { id: 'client', kind: 'mcp', label: 'client' } as const;
    // Twice as many as there are sandboxes, so that all of them are in use.
    const runs = Array.from({ length: 2 * size }, (_unused, at) =>
      engine.run({ language: 'python', owner, code: `print ${at}` }),
    );
    expect((await Promise.all(runs)).map(({ stdout }) => stdout)).toEqual(runs.map((_unused, at) => `${at}\n`));
    expect(host.mostCreating).toBe(Math.min(size, creations));
    expect(host.containers.size).toBeLessThanOrEqual(size);
    await engine.dispose();
  });
});
