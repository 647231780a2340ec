import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageSources } from '../../src/engine/environment/images.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const sourceOf = imageSources(path.join(ROOT, 'images'), async () => ({ buildArgs: {} }));

/** Whether a file or folder that a Dockerfile copies is in the context, or in a folder that is added to it. */
async function isSent(name: string, context: string, folders: Readonly<Record<string, string>> = {}) {
  const place = folders[name.replace(/\/$/, '')] ?? path.join(context, name);
  return access(place).then(
    () => true,
    () => false,
  );
}

describe('the source of an image', () => {
  it.each(LANGUAGES.map(({ id }) => id))('has every file that its Dockerfile copies: %s', async (language) => {
    const { context, folders } = await sourceOf(language);
    const text = await readFile(path.join(context, 'Dockerfile'), 'utf8');
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied).toContain('machine/');
    const missing = await Promise.all(
      copied.map(async (name) => ((await isSent(name, context, folders)) ? [] : [name])),
    );
    expect(missing.flat()).toEqual([]);
  });

  it('has every script of machine/ that its Dockerfile runs', async () => {
    for (const { id } of LANGUAGES) {
      const { context, folders } = await sourceOf(id);
      const sent = [...(await readdir(context)), ...(await readdir(folders?.machine ?? ''))];
      const text = await readFile(path.join(context, 'Dockerfile'), 'utf8');
      const run = [...text.matchAll(/sh \/machine\/(\S+)/g)].map(([, script]) => script);
      expect(run).toContain('clean.sh');
      expect(run.filter((script) => !sent.includes(`${script}`))).toEqual([]);
    }
  });

  it('is packed with the extension', async () => {
    const packed = (await readFile(path.join(ROOT, '.vscodeignore'), 'utf8')).split('\n');
    for (const { id } of LANGUAGES) {
      const { context, folders = {} } = await sourceOf(id);
      const sources = [context, ...Object.values(folders)].map((folder) => `!${path.relative(ROOT, folder)}/**`);
      expect(sources.filter((line) => !packed.includes(line))).toEqual([]);
    }
  });
});
