import { chmod, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostWithImages, ImageBuild } from '../../../src/host/host.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { ownSpec } from '../../contract/hostContract.ts';
import { hostIn } from './hostIn.ts';

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
let host: HostWithImages;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-volumes-'));
  host = hostIn(home);
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

describe('an environment that is missing on this machine', () => {
  const missing = (image: string, labels: Readonly<Record<string, string>>) => host.images.missing({ image, labels });
  const ofLanguage = (language: string) => missing(`hothouse/${language}:latest`, { [LABEL.environment]: language });

  it('is built by a command where that can be done here, and no other image is named', async () => {
    expect(await ofLanguage('node')).toEqual({
      kind: 'image_missing',
      message: 'There is no image hothouse/node:latest.',
      advice: 'Build it with the command `hothouse build node`.',
      command: 'hothouse build node',
    });
  });

  it.each(['csharp', 'r'])('needs a container engine for %s, and no command is named', async (language) => {
    const problem = {
      kind: 'needs_engine',
      message: `Only a container engine can build hothouse/${language}:latest.`,
      advice: 'Start Docker or Podman and set the option host.kind to docker, or use another language.',
    };
    expect(await ofLanguage(language)).toEqual(problem);
    const image = `hothouse/${language}:latest`;
    const spec = { ...ownSpec(image), labels: { [LABEL.environment]: language } };
    await expect(host.create(spec)).rejects.toMatchObject({ problem });
  });

  it('needs a container engine where it is an image from elsewhere', async () => {
    expect(await missing('python:3.12', { [LABEL.environment]: 'python' })).toMatchObject({
      kind: 'needs_engine',
      message: 'The image python:3.12 needs a container engine.',
    });
  });

  it('may be one that a container engine has, which is kept', async () => {
    const labels = { [LABEL.environment]: 'mine', [LABEL.language]: 'bash' };
    expect(await missing('hothouse/env:mine', labels)).toMatchObject({
      kind: 'image_missing',
      message: 'The environment mine is not built on this machine without a container engine.',
      advice: expect.stringContaining('start the container engine that has it'),
    });
  });
});

describe('the folder of an environment of this machine', () => {
  const environments = () => path.join(home, '.hothouse/local/environments');
  const ids = async () => (await readdir(environments())).filter((name) => !name.endsWith('.json'));
  /** A sweep of another process, when what was built last is not new any more. */
  const sweep = async () => {
    for (const id of await ids()) await utimes(path.join(environments(), id), 0, 0);
    await hostIn(home).removeUnusedVolumes({});
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
      problem: { kind: 'needs_engine', message: 'Only a container engine builds on a base image.' },
    });
  });
});
