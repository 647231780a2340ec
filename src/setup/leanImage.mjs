import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureImage, imageFolders, planImage } from './image.mjs';
import {
  elanToolchain,
  ensureToolchain,
  hasLean,
  madeToolchain,
  planToolchain,
  recipeFolder,
} from './leanToolchain.mjs';
import { SetupProblem } from './steps.mjs';
import { countTests } from './suite.mjs';

/** The environment variable with the image for the tests with Lean. */
export const LEAN_IMAGE_VARIABLE = 'HOTHOUSE_TEST_LEAN_IMAGE';
const BUILT = 'hothouse/lean-test:latest';

/** Where setup looks for Lean if no environment variable names one. */
const PLACES = { elan: elanToolchain, recipe: recipeFolder, made: madeToolchain };

/**
 * The Lean for tests: a named image or toolchain, elan's toolchain, one that the recipe next to the checkout makes or has
 * made, or none.
 */
export async function leanSource(env = process.env, { elan, recipe, made } = PLACES) {
  const image = env[LEAN_IMAGE_VARIABLE];
  if (image) return { kind: 'image', image };
  const named = env.LEAN_TOOLCHAIN_DIR && resolve(env.LEAN_TOOLCHAIN_DIR);
  if (named && !hasLean(named)) {
    throw new SetupProblem(`LEAN_TOOLCHAIN_DIR is ${named}, which has no bin/lean.`);
  }
  const folder = named || (await elan());
  if (folder) return { kind: 'toolchain', folder };
  const recipeFolder = await recipe();
  if (recipeFolder) return { kind: 'recipe', folder: recipeFolder };
  const before = await made();
  return before ? { kind: 'toolchain', folder: before } : { kind: 'none' };
}

/** The toolchain folder of a source, made if necessary; null for an image or none. */
export async function leanToolchain(source) {
  if (source.kind === 'recipe') return ensureToolchain(source.folder);
  return source.kind === 'toolchain' ? source.folder : null;
}

/** The image for the tests with Lean, built if necessary; null if this machine has no Lean. */
export async function ensureLeanImage(source) {
  const from = source ?? (await leanSource());
  if (from.kind === 'image') return from.image;
  const toolchain = await leanToolchain(from);
  if (toolchain === null) return null;
  await ensureImage(leanBuild(toolchain));
  return BUILT;
}

/** The plan of `ensureLeanImage`. */
export async function planLeanImage() {
  const source = await leanSource();
  if (source.kind === 'none' || source.kind === 'image') return [];
  const first = source.kind === 'recipe' ? await planToolchain(source.folder) : [];
  const plan = (toolchain) => planImage(leanBuild(toolchain), 'for the tests with Lean', 350);
  // Before the toolchain exists, no image can be current.
  return first.length > 0 ? [...first, ...(await plan(null))] : plan(await leanToolchain(source));
}

/** The line to print for tests that cannot run without Lean. Rejects in a CI job, where they are required. */
export async function skippedLean() {
  const reason = `there is no Lean here: install elan, or set ${LEAN_IMAGE_VARIABLE} or LEAN_TOOLCHAIN_DIR.`;
  if (process.env.CI) throw new SetupProblem(`The tests with Lean are required in a CI job, but ${reason}`);
  return `skip  Tests with Lean: ${await countTests('lean')} skipped, because ${reason}`;
}

function leanBuild(toolchain) {
  const inputs = () => {
    if (toolchain === null) return [];
    const { mtimeMs } = statSync(join(toolchain, 'bin/lean'));
    return [...imageFolders('lean'), toolchain, `${mtimeMs}`];
  };
  return { language: 'lean', image: BUILT, args: ['--toolchain', toolchain], inputs };
}
