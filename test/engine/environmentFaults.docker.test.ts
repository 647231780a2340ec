import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { definitionHash, EnvironmentDefinition, environmentImage } from '../../src/engine/environment/definition.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { LABEL } from '../../src/host/labels.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { start } from '../cli/program.ts';
import { askEngine } from '../faults/engineApi.ts';
import { type LocalIndex, localIndex } from './packages/localIndex.ts';

/** Its index never answers about it. */
const HUNG = EnvironmentDefinition.parse({ name: 'hung', language: 'python', packages: { pip: ['slow'] } });
const GOOD = { name: 'good', language: 'python', packages: { pip: ['small'] } };

let home: string;
let index: LocalIndex;
let env: Record<string, string>;
let engine: Engine;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-faults-'));
  index = await localIndex([{ name: 'small', version: '1.0', files: { 'small.py': 'answer = 42\n' } }]);
  env = { HOME: home, PIP_INDEX_URL: index.url, HTTP_PROXY: '', http_proxy: '' };
  engine = await newEngine();
});
afterAll(async () => {
  for (const { name } of await engine.environments.list()) await engine.environments.remove(name);
  await engine.dispose();
  await index.close();
  await rm(home, { recursive: true });
});

function newEngine(): Promise<Engine> {
  return createLocalEngine({
    options: Options.parse({ pool: { size: 1 } }),
    log: silentLog,
    env: { ...process.env, ...env },
    home,
    imagesFolder: join(import.meta.dirname, '../../images'),
  });
}

/** Resolves when a build waits for the index. */
async function hangs(): Promise<void> {
  await expect.poll(() => index.connections()).toBeGreaterThan(0);
}

/** The step of the build has ended, its image and every container of it are gone, and another build works. */
async function expectNothingLeft(): Promise<void> {
  await expect.poll(() => index.connections()).toBe(0);
  const image = environmentImage(definitionHash(HUNG));
  expect((await askEngine('GET', `/images/${image}/json`)).status).toBe(404);
  const filters = encodeURIComponent(JSON.stringify({ ancestor: ['hothouse/python:latest'], label: [LABEL.owner] }));
  const { body } = await askEngine('GET', `/containers/json?all=true&filters=${filters}`);
  const states: { State: string }[] = JSON.parse(body);
  expect(states.filter(({ State }) => State === 'created')).toEqual([]);
  expect((await engine.environments.list()).map(({ name }) => name)).not.toContain('hung');
  expect(await readdir(join(home, '.hothouse', 'environments')).catch(() => [])).not.toContain('hung.json');
  expect(await engine.environments.create(GOOD)).toMatchObject({ ok: true });
  expect(await engine.environments.remove('good')).toMatchObject({ ok: true });
}

describe('the build of an environment', () => {
  it('that is cancelled while it hangs leaves nothing, and the next one works', async () => {
    const controller = new AbortController();
    const cancelled = engine.environments.create(HUNG, { signal: controller.signal });
    await hangs();
    controller.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    await expectNothingLeft();
  });

  it('that hangs until its deadline leaves nothing, and the next one works', async () => {
    engine.configure(Options.parse({ environments: { buildMinutes: 0.2 } }));
    const late = await engine.environments.create(HUNG);
    expect(late).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
    expect(JSON.stringify(late)).toContain('was not built within 12 s (after: ');
    engine.configure(Options.parse({}));
    await expectNothingLeft();
  });

  it('whose process is killed leaves nothing, and the next one works', async () => {
    const child = start(['env', 'create', 'hung', '--pip', 'slow'], env);
    await hangs();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await expectNothingLeft();
  });

  it('of the same content in two engines at once gives both the same image', async () => {
    const other = await newEngine();
    const [one, two] = await Promise.all([engine, other].map(({ environments }) => environments.create(GOOD)));
    expect(one, JSON.stringify([one, two])).toMatchObject({ ok: true });
    expect(two, JSON.stringify(two)).toMatchObject({
      ok: true,
      value: one?.ok && { image: one.value.image, lock: one.value.lock },
    });
    await other.dispose();
  });

  it('that replaces another one removes the image of the other, unless a session runs in it', async () => {
    const owner = { id: 'replaces', kind: 'notebook', label: 'replaces' } as const;
    const first = await engine.environments.create(GOOD, { replace: true });
    const opened = await engine.openSession('python', owner, undefined, 'good');
    const changed = { ...GOOD, variables: { A: 'b' } };
    const inUse = await engine.environments.create(changed, { replace: true });
    expect(JSON.stringify(inUse)).toContain('Sessions run in the environment good');
    expect(JSON.stringify(await engine.environments.remove('good'))).toContain('Sessions run in the environment good');
    if (opened.ok) await engine.closeSession(opened.value.id);
    const second = await engine.environments.create(changed, { replace: true });
    if (!first.ok || !second.ok) throw new Error(JSON.stringify([first, second]));
    expect((await askEngine('GET', `/images/${first.value.image}/json`)).status).toBe(404);
    expect((await askEngine('GET', `/images/${second.value.image}/json`)).status).toBe(200);
  });

  it('that env remove removes leaves no image', async () => {
    const images = async () =>
      JSON.parse((await askEngine('GET', '/images/json?all=true')).body)
        .map(idOf)
        .sort();
    const before = await images();
    const made = await engine.environments.create({ ...GOOD, name: 'removed', variables: { C: 'd' } });
    if (!made.ok) throw new Error(made.error.message);
    expect(await images()).not.toEqual(before);
    const [status] = await once(start(['env', 'remove', 'removed'], env), 'exit');
    expect(status).toBe(0);
    expect((await images()).filter((image: string) => !before.includes(image))).toEqual([]);
  });
});

/** Environments that differ in their variables alone have one image with two names. */
function idOf({ Id, RepoTags }: { Id: string; RepoTags: string[] | null }): string {
  return [Id, ...(RepoTags ?? [])].join(' ');
}
