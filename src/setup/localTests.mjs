import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { ask, must } from './commands.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { leanSource, leanToolchain } from './leanImage.mjs';
import { cacheFolder, programEnv, root } from './paths.mjs';
import { vitest } from './suite.mjs';

const PACKAGES = ['bubblewrap'];
/** Of nobody, on this machine: what root may do would prove little. */
const USER = 1_048_576;
/** Where a home folder has what `hothouse build` makes. */
const ENVIRONMENTS = '.hothouse/local/environments';
/** Rows of test/isolation that hold without a container engine, without those that take longest. */
const ATTACKS = [
  ...['02-honestCode', '02-kernelSurface', '03-privilege', '04-egress', '05-hostLeakage', '08-fill', '10-signals'],
  ...['11-tampering', '12-forgedFrames', '13-files', '14-forkers', '15-ipc', '16-startUpHooks', '18-resetFaults'],
  ...['19-owners', '23-bytes', '24-terminal', '26-recursion', '41-poisonedImports', '46-rootsOfMounts'],
  ...['47-lingeringNetwork', '52-ownStreams', '53-hostSockets', '58-copies', '59-furtherLanguages'],
].map((name) => `test/isolation/${name}.docker.test.ts`);

/** The plan of `localTests` and `localAttacks`. */
export async function planLocal() {
  if (process.platform !== 'linux') return [];
  const folder = environmentsFolder();
  const what = `the Python environment for tests without a container engine in ${folder}`;
  return [...(await planPackages(PACKAGES, 1)), ...(hasEnvironment(folder) ? [] : [{ verb: 'build', what, mb: 800 }])];
}

/** Runs the project `local`, which needs no container engine, as an ordinary user; where that cannot be, says why. */
export function localTests() {
  return asOrdinaryUser((user) => vitest('local', user.env, user));
}

/** Runs rows of test/isolation in the same way. */
export function localAttacks() {
  return asOrdinaryUser((user) =>
    vitest('isolation', { ...user.env, HOTHOUSE_TEST_HOST: 'local' }, { ...user, files: ATTACKS }),
  );
}

/** Calls `test` with an ordinary user for `vitest`, who has environments that are kept for later. */
async function asOrdinaryUser(test) {
  if (process.platform !== 'linux') return skipped('it needs Linux');
  try {
    await installPackages(PACKAGES, 'Testing without a container engine');
  } catch (error) {
    return skipped(error.message);
  }
  const home = await mkdtemp(join(tmpdir(), 'hothouse-local-'));
  try {
    const user = userOf(home, await leanToolchain(await leanSource()));
    const [program, ...args] = [...user.before, process.execPath, '--version'];
    if ((await ask(program, args)) === null) return skipped('an ordinary user cannot run Node.js here');
    if (!hasEnvironment(environmentsFolder())) {
      for (const language of ['bash', 'python']) await buildEnvironment(language, user);
    }
    return await test(user);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function skipped(why) {
  return { passed: 0, failed: 0, skipped: 1, details: `    Bubblewrap cannot be used here: ${why}` };
}

/** The user with that home folder who runs tests, with that Lean or null: this one, or for root another one. For `vitest`. */
function userOf(home, toolchain) {
  const env = { HOME: home, TMPDIR: home, ...(toolchain && { LEAN_TOOLCHAIN_DIR: toolchain }) };
  const kept = environmentsFolder();
  const environments = join(home, ENVIRONMENTS);
  mkdirSync(kept, { recursive: true });
  if (process.getuid() !== 0) {
    mkdirSync(join(environments, '..'), { recursive: true });
    symlinkSync(kept, environments);
    // One who has Docker does not use it here.
    return { env: { ...env, HOTHOUSE_HOST_KIND: 'local' }, before: [], folder: home, at: root };
  }
  mkdirSync(environments, { recursive: true });
  for (const path of [home, kept, join(home, '.hothouse'), join(home, '.hothouse/local')]) chownSync(path, USER, USER);
  const user = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
  // Checkout and cache may be in a folder of root's: they get other places, in mounts of their own.
  const places = [root, '/mnt', kept, environments];
  if (toolchain) {
    env.LEAN_TOOLCHAIN_DIR = join(home, 'toolchain');
    mkdirSync(env.LEAN_TOOLCHAIN_DIR);
    places.push(toolchain, env.LEAN_TOOLCHAIN_DIR);
  }
  const script = `while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; cd /mnt && exec ${user.join(' ')} "$@"`;
  const before = ['unshare', '--mount', 'sh', '-c', script, 'sh', ...places, '--'];
  return { env, before, folder: home, at: '/mnt' };
}

/** It outlives the checkout. */
function environmentsFolder() {
  const sources = ['images/python/local', 'images/environment/local'].map((name) => folderHash(join(root, name)));
  return join(cacheFolder(), `local-${hashOf(...sources)}`);
}

/** Whether the build of Python, the last one, has ended there: it leaves a description. */
function hasEnvironment(folder) {
  return existsSync(folder) && readdirSync(folder).some((name) => name.includes('python') && name.endsWith('.json'));
}

async function buildEnvironment(language, { env, before, at }) {
  const [program, ...args] = [...before, process.execPath, join(at, 'dist/cli.js'), 'build', language];
  const settings = { ...programEnv(), ...env, HOTHOUSE_HOST_KIND: 'local' };
  await must('local-environment', program, args, { env: settings });
}
