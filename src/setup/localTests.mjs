import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { ask } from './commands.mjs';
import { root } from './paths.mjs';
import { vitest } from './suite.mjs';

const PACKAGES = ['bubblewrap'];
/** Of nobody, on this machine: what root may do would prove little. */
const USER = 1_048_576;

/** The plan of `localTests`. */
export async function planLocal() {
  return process.platform === 'linux' ? planPackages(PACKAGES, 1) : [];
}

/** Runs the project `local`, which needs no container engine, as an ordinary user; where that cannot be, says why. */
export async function localTests() {
  if (process.platform !== 'linux') return skipped('it needs Linux');
  try {
    await installPackages(PACKAGES, 'Testing without a container engine');
  } catch (error) {
    return skipped(error.message);
  }
  const home = await mkdtemp(join(tmpdir(), 'hothouse-local-'));
  const env = { HOME: home, TMPDIR: home };
  try {
    if (process.getuid() !== 0) return await vitest('local', env);
    const user = asOrdinaryUser(home);
    const [program, ...args] = [...user.before, process.execPath, '--version'];
    const canRun = (await ask(program, args)) !== null;
    return canRun ? await vitest('local', env, user) : skipped('an ordinary user cannot run Node.js here');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function skipped(why) {
  return { passed: 0, failed: 0, skipped: 1, details: `    Bubblewrap cannot be used here: ${why}` };
}

/** The checkout may be in a folder of root's: it gets another place, in mounts of its own. */
function asOrdinaryUser(home) {
  chownSync(home, USER, USER);
  const user = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
  const script = `mount --bind "$1" /mnt && cd /mnt && shift && exec ${user.join(' ')} "$@"`;
  return { before: ['unshare', '--mount', 'sh', '-c', script, 'sh', root], folder: home, at: '/mnt' };
}
