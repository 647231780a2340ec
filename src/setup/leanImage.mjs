import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureBaseImage, planBaseImage } from './baseImage.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { answeringEngine, engineCommand } from './doctor.mjs';
import {
  elanToolchain,
  ensureToolchain,
  hasLean,
  madeToolchain,
  planToolchain,
  recipeFolder,
} from './leanToolchain.mjs';
import { cli, out, programEnv, root } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { ask, must } from './run.mjs';

/** How tests are told of the image with a real Lean that they run on. */
export const LEAN_IMAGE_VARIABLE = 'HOTHOUSE_TEST_LEAN_IMAGE';
const BUILT = 'hothouse/lean-test:latest';
const STAMP = join(out, 'lean-image');

/** Where a Lean is looked for that nobody has named. */
const PLACES = { elan: elanToolchain, recipe: recipeFolder, made: madeToolchain };

/**
 * Where tests get a real Lean: an image or a toolchain that was named, elan's toolchain, one made by the recipe beside the
 * checkout or made before, or nothing.
 */
export async function leanSource(env = process.env, { elan, recipe, made } = PLACES) {
  const image = env[LEAN_IMAGE_VARIABLE];
  if (image) return { kind: 'image', image };
  const named = env.LEAN_TOOLCHAIN_DIR && resolve(env.LEAN_TOOLCHAIN_DIR);
  if (named && !hasLean(named)) {
    throw new SetupProblem(`LEAN_TOOLCHAIN_DIR names ${named}, and there is no bin/lean in it.`);
  }
  const folder = named || (await elan());
  if (folder) return { kind: 'toolchain', folder };
  const recipeFolder = await recipe();
  if (recipeFolder) return { kind: 'recipe', folder: recipeFolder };
  const before = await made();
  return before ? { kind: 'toolchain', folder: before } : { kind: 'none' };
}

/** The folder of the source's toolchain, made if need be; null where it has none. */
export async function leanToolchain(source) {
  if (source.kind === 'recipe') return ensureToolchain(source.folder);
  return source.kind === 'toolchain' ? source.folder : null;
}

/** The image that tests with a real Lean run on, built if need be; null when this machine has no Lean for them. */
export async function ensureLeanImage(source) {
  const from = source ?? (await leanSource());
  if (from.kind === 'image') return from.image;
  const toolchain = await leanToolchain(from);
  if (toolchain === null) return null;
  const engine = await engineCommand();
  if (await isCurrent(engine, toolchain)) return BUILT;
  const base = await ensureBaseImage(engine);
  const args = [cli, 'build', 'lean', '--toolchain', toolchain, '--set', `lean.image=${BUILT}`, ...base];
  await must('lean-image', process.execPath, args, { env: programEnv() });
  mkdirSync(out, { recursive: true });
  writeFileSync(STAMP, (await stampOf(engine, toolchain)) ?? '');
  return BUILT;
}

/** What that does to the machine. */
export async function planLeanImage() {
  const source = await leanSource();
  if (source.kind === 'none' || source.kind === 'image') return [];
  const first = source.kind === 'recipe' ? await planToolchain(source.folder) : [];
  const toolchain = first.length > 0 ? null : await leanToolchain(source);
  const engine = await answeringEngine();
  if (toolchain && engine && (await isCurrent(engine, toolchain))) return [];
  const build = { verb: 'build', what: `the image ${BUILT} for the tests with Lean`, mb: 350 };
  return [...first, ...(await planBaseImage()), build];
}

/** Whether a machine without a Lean fails the tests, as it does in a CI job; elsewhere they are skipped. */
export function isLeanRequired(env = process.env) {
  return Boolean(env.CI);
}

/** Why tests with Lean cannot be run on a machine without one, and what to do. */
export const NO_LEAN = `there is no Lean here: install elan, or name an image in ${LEAN_IMAGE_VARIABLE} or a toolchain's folder in LEAN_TOOLCHAIN_DIR.`;

/** What is said in the place of tests that nobody could run. */
export function skippedLine(count) {
  return `skip  Tests with Lean: ${count} skipped, since ${NO_LEAN}`;
}

async function isCurrent(engine, toolchain) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === (await stampOf(engine, toolchain));
}

/** What the image was built of, and which one it is; null where there is none. */
async function stampOf(engine, toolchain) {
  const id = await ask(engine, ['image', 'inspect', '--format', '{{.Id}}', BUILT]);
  const { mtimeMs } = statSync(join(toolchain, 'bin/lean'));
  return id && hashOf(folderHash(join(root, 'images/lean')), toolchain, `${mtimeMs}`, id.trim());
}
