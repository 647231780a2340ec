import { ask, logged, must } from './commands.mjs';
import { asRoot } from './root.mjs';
import { SetupProblem } from './steps.mjs';

/** apt-get without prompts of its own, of packages, of needrestart or of apt-listchanges. */
const QUIETLY = [
  ...['env', 'DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_MODE=a', 'APT_LISTCHANGES_FRONTEND=none'],
  ...['apt-get', '-o', 'Dpkg::Options::=--force-confdef', '-o', 'Dpkg::Options::=--force-confold'],
  // Another apt may hold the lock for a long time.
  ...['-o', 'DPkg::Lock::Timeout=120'],
];

let queue = Promise.resolve();
let refreshed = false;

/**
 * Installs missing Debian packages; `purpose` completes the error message. Calls run one after the other. With
 * `recommended`, apt also installs recommended packages.
 */
export function installPackages(names, purpose, { recommended = false } = {}) {
  const done = queue.then(() => install(names, purpose, recommended ? [] : ['--no-install-recommends']));
  queue = done.catch(() => {});
  return done;
}

/** The plan of `installPackages`; `mb` is the disk space of the packages and their dependencies. */
export async function planPackages(names, mb) {
  const missing = await missingOf(names);
  if (missing.length === 0) return [];
  return [{ verb: 'install', what: `Debian packages with apt-get as root: ${missing.join(' ')}`, mb }];
}

async function missingOf(names) {
  const missing = [];
  for (const name of names) if (!(await isInstalled(name))) missing.push(name);
  return missing;
}

async function install(names, purpose, flags) {
  const missing = await missingOf(names);
  if (missing.length === 0) return;
  const wanted = missing.join(' ');
  if ((await ask('apt-get', ['--version'])) === null) {
    throw new SetupProblem(`${purpose} needs ${wanted}. Install them: this system has no apt-get.`);
  }
  await refresh();
  const aptGet = [...QUIETLY, 'install', '-y', ...flags, ...missing];
  await must('apt', ...(await asRoot(aptGet, `sudo apt-get install -y ${wanted}`)));
}

/** Updates the package lists once. One of several archives may fail: the install shows whether it was needed. */
async function refresh() {
  if (refreshed) return;
  refreshed = true;
  await logged('apt', ...(await asRoot([...QUIETLY, 'update'], 'sudo apt-get update')));
}

async function isInstalled(name) {
  const facts = await ask('dpkg-query', ['--status', name]);
  return facts !== null && /^Status: \S+ \S+ installed$/m.test(facts);
}
