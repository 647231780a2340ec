import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureBaseImage, planBaseImage } from './baseImage.mjs';
import { answeringEngine, engineCommand } from './doctor.mjs';
import { cli, programEnv } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { ask, must } from './run.mjs';

/** How tests are told of the image with a real Lean that they run on. */
export const LEAN_IMAGE_VARIABLE = 'HOTHOUSE_TEST_LEAN_IMAGE';
const BUILT = 'hothouse/lean-test:latest';

/** Where tests get a real Lean: an image, a toolchain to build one from, or nothing. */
export function leanSource(env = process.env) {
  const image = env[LEAN_IMAGE_VARIABLE];
  if (image) return { kind: 'image', image };
  const folder = env.LEAN_TOOLCHAIN_DIR;
  return folder ? { kind: 'toolchain', folder: resolve(folder) } : { kind: 'none' };
}

/** The image that tests with a real Lean run on, built if need be; null when this machine has no Lean for them. */
export async function ensureLeanImage(source = leanSource()) {
  if (source.kind === 'none') return null;
  if (source.kind === 'image') return source.image;
  if (!existsSync(join(source.folder, 'bin/lean'))) {
    throw new SetupProblem(`LEAN_TOOLCHAIN_DIR names ${source.folder}, and there is no bin/lean in it.`);
  }
  const base = await ensureBaseImage(await engineCommand());
  const args = [cli, 'build', 'lean', '--toolchain', source.folder, '--set', `lean.image=${BUILT}`, ...base];
  await must('lean-image', process.execPath, args, { env: programEnv() });
  return BUILT;
}

/** What that does to the machine. */
export async function planLeanImage(source = leanSource()) {
  if (source.kind !== 'toolchain') return [];
  const engine = await answeringEngine();
  if (engine && (await ask(engine, ['image', 'inspect', BUILT])) !== null) return [];
  return [...(await planBaseImage()), { verb: 'build', what: `the image ${BUILT} with the Lean of ${source.folder}` }];
}

/** What is said in the place of tests that nobody could run. */
export function skippedLine(count) {
  return `skip  Tests with Lean: ${count} skipped; to run them name an image in ${LEAN_IMAGE_VARIABLE} or a toolchain's folder in LEAN_TOOLCHAIN_DIR.`;
}
