import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { must, output } from './commands.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { LOCAL, LOCAL_PACKAGES } from './host.mjs';
import { leanSource, leanToolchain } from './leanImage.mjs';
import { cacheFolder, cli, programEnv, root } from './paths.mjs';

/** Of nobody, on this machine: what root may do would prove little. */
const USER = 1_048_576;
/** Where a home folder has what `hothouse build` makes. */
const ENVIRONMENTS = '.hothouse/local/environments';
/** What `npm test` sets to files of whoever has called it. */
const NO_NPM = { npm_config_cache: undefined, npm_config_userconfig: undefined };

/**
 * @typedef {object} OrdinaryUser
 * @property {NodeJS.ProcessEnv} env with a home folder that has environments
 * @property {readonly string[]} before a command that runs another as this user
 * @property {string} folder that the user may write to
 * @property {(path: string) => string} at where the user sees what has this path here
 * @property {(folder: string) => void} own gives a folder to the user
 */

/** The plan of `asOrdinaryUser`. */
export async function planOrdinaryUser() {
  if (process.platform !== 'linux') return [];
  const folder = environmentsFolder();
  const what = `the Python environment for tests without a container engine in ${folder}`;
  return [
    ...(await planPackages(LOCAL_PACKAGES, 1)),
    ...(hasEnvironment(folder) ? [] : [{ verb: 'build', what, mb: 1100 }]),
  ];
}

/**
 * Calls `test` with an ordinary user without a container engine, who has environments that are kept for later, and sees the
 * checkout and the folders `shown`. Where that cannot be, calls `otherwise` with the reason, a sentence.
 *
 * @param {(user: OrdinaryUser) => unknown} test
 * @param {{ otherwise: (why: string) => unknown, shown?: readonly string[] }} options
 */
export async function asOrdinaryUser(test, { otherwise, shown = [] }) {
  if (process.platform !== 'linux') return otherwise('It needs Linux.');
  try {
    await installPackages(LOCAL_PACKAGES, 'Testing without a container engine');
  } catch (error) {
    return otherwise(error.message);
  }
  const home = await mkdtemp(join(tmpdir(), 'hothouse-local-'));
  try {
    const user = userOf(home, await leanToolchain(await leanSource()), shown);
    const problem = await problemOf(user);
    if (problem) return await otherwise(problem);
    if (!hasEnvironment(environmentsFolder())) {
      for (const language of ['bash', 'python']) await must('local-environment', ...cliOf(user, ['build', language]));
    }
    return await test(user);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The user with that home folder who runs tests, with that Lean or null: this one, or for root another one. */
function userOf(home, toolchain, shown) {
  const env = { HOME: home, TMPDIR: home, ...NO_NPM, ...(toolchain && { LEAN_TOOLCHAIN_DIR: toolchain }) };
  const kept = environmentsFolder();
  const environments = join(home, ENVIRONMENTS);
  mkdirSync(kept, { recursive: true });
  if (process.getuid() !== 0) {
    mkdirSync(join(environments, '..'), { recursive: true });
    symlinkSync(kept, environments);
    // One who has Docker does not use it here.
    return { env: { ...env, ...LOCAL }, before: [], folder: home, at: (path) => path, own: () => {} };
  }
  mkdirSync(environments, { recursive: true });
  for (const path of [home, kept, join(home, '.hothouse'), join(home, '.hothouse/local')]) own(path);
  // Checkout and cache may be in a folder of root's: they get other places, in mounts of their own.
  const places = new Map([
    [root, '/mnt'],
    [kept, environments],
    ...[...shown, ...(toolchain ? [toolchain] : [])].map((path, index) => [path, join(home, `shown-${index}`)]),
  ]);
  for (const place of places.values()) mkdirSync(place, { recursive: true });
  const at = (path) => placeIn(places, path);
  const user = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
  const script = `while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; cd /mnt && exec ${user.join(' ')} "$@"`;
  const before = ['unshare', '--mount', 'sh', '-c', script, 'sh', ...[...places].flat(), '--'];
  if (toolchain) env.LEAN_TOOLCHAIN_DIR = at(toolchain);
  return { env, before, folder: home, at, own: ownAll };
}

/** A path as it is where folders have other places. */
function placeIn(places, path) {
  for (const [from, to] of places) {
    const folder = from.endsWith(sep) ? from.slice(0, -1) : from;
    if (path === folder || path.startsWith(folder + sep)) return to + path.slice(folder.length);
  }
  return path;
}

function own(path) {
  chownSync(path, USER, USER);
}

function ownAll(folder) {
  own(folder);
  for (const entry of readdirSync(folder, { recursive: true })) own(join(folder, entry));
}

/** The environments that the tests run; it outlives the checkout. */
function environmentsFolder() {
  const sources = ['images/python/local', 'images/environment/local'].map((name) => folderHash(join(root, name)));
  return join(cacheFolder(), `local-${hashOf(...sources)}`);
}

/** Whether the build of Python, the last one, has ended there: it leaves a description. */
function hasEnvironment(folder) {
  return existsSync(folder) && readdirSync(folder).some((name) => name.includes('python') && name.endsWith('.json'));
}

/** Why the user cannot have sandboxes here, in a sentence; null when they can. */
async function problemOf(user) {
  const { text } = await output(...cliOf(user, ['doctor', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  if (!text.startsWith('{')) return 'An ordinary user cannot run Node.js here.';
  return JSON.parse(text).host.problem?.message ?? null;
}

/** The command line without a container engine, as that user: arguments of `must` and `output`. */
function cliOf({ before, at, env }, args, options = {}) {
  const [program, ...more] = [...before, process.execPath, at(cli), ...args];
  return [program, more, { ...options, env: { ...programEnv(), ...env, ...LOCAL } }];
}
