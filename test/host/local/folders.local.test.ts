import { chmod, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageBuild } from '../../../src/host/host.ts';
import { localHost } from '../../../src/host/local/localHost.ts';
import { ownSpec } from '../../contract/hostContract.ts';

const IMAGE = 'hothouse/bash:latest';
const CONTEXT = path.resolve(import.meta.dirname, '../../../images/bash');
const VOLUME = '/volume';
/** Folders of every mode, a link out of the volume, and a path that is too long for the kernel. */
const HOSTILE = [
  'cd data',
  'mkdir -p a/b c && touch a/b/file && ln -s /usr c/link',
  'for _ in {1..40}; do name=$(printf %0200d); mkdir $name && cd $name; done',
  'cd /volume/data && chmod 000 a/b a c',
].join(' && ');

let home: string;
let host: ReturnType<typeof localHost>;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-volumes-'));
  host = localHost({ env: process.env, home });
  await build();
});
afterAll(async () => {
  await host.dispose();
  await rm(home, { recursive: true });
});

const build = (rest: Partial<ImageBuild> = {}) =>
  host.images.build({ tag: IMAGE, context: CONTEXT, buildArgs: {}, labels: {}, ...rest }, () => {});

const folder = () => path.join(home, '.hothouse/local/volumes');

/** Runs bash in place of an agent, in a folder that is a volume. */
async function ranIn(script: string): Promise<number | null> {
  const spec = ownSpec(IMAGE);
  const volumes = [{ path: VOLUME, name: null, isWritable: true }];
  const argv = ['bash', '-c', `read -r; cd ${VOLUME} && ${script}`];
  const container = await host.create({ ...spec, volumes, argv });
  container.stdin.write('\n');
  return (await container.ended).exitCode;
}

describe('a volume of a sandbox of this machine', () => {
  it('goes with it, whatever code has made there', async () => {
    expect(await ranIn(HOSTILE)).toBe(0);
    expect(await readdir(folder())).toEqual([]);
  });

  it('is removed by a sweep when its sandbox could not do so', async () => {
    for (const digit of ['0', 'f']) {
      const volume = path.join(folder(), digit.repeat(32));
      await mkdir(path.join(volume, '0/closed/file'), { recursive: true });
      await chmod(path.join(volume, '0/closed'), 0);
      await utimes(volume, 0, 0);
    }
    await host.removeUnusedVolumes({});
    expect(await readdir(folder())).toEqual([]);
  });
});

describe('the folder of an environment of this machine', () => {
  const environments = () => path.join(home, '.hothouse/local/environments');
  const ids = async () => (await readdir(environments())).filter((name) => !name.endsWith('.json'));
  /** A sweep of another process, when what was built last is not new any more. */
  const sweep = async () => {
    for (const id of await ids()) await utimes(path.join(environments(), id), 0, 0);
    await localHost({ env: process.env, home }).removeUnusedVolumes({});
  };

  it('stays while a sandbox has it, when its name gets other content, and goes later', async () => {
    const before = await ids();
    const container = await host.create(ownSpec(IMAGE));
    await build({ files: { changed: 'now' } });
    expect(await ids()).toEqual(expect.arrayContaining(before));
    await sweep();
    expect(await ids()).toHaveLength(before.length + 1);
    await container.remove();
    await sweep();
    expect(await ids()).toHaveLength(before.length);
    expect(await ids()).not.toEqual(before);
  });

  it('is built on no image', async () => {
    const refused = build({ buildArgs: { BASE: 'debian' } });
    await expect(refused).rejects.toMatchObject({
      problem: { kind: 'build_failed', message: 'Only a container engine builds on a base image.' },
    });
  });
});
