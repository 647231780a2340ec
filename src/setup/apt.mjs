import { SetupProblem } from './problem.mjs';
import { asRoot } from './root.mjs';
import { ask, logged, must } from './run.mjs';

/** apt-get that asks nothing: neither itself, nor a package, nor what looks after services and changed files. */
const QUIETLY = [
  ...['env', 'DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_MODE=a', 'APT_LISTCHANGES_FRONTEND=none'],
  ...['apt-get', '-o', 'Dpkg::Options::=--force-confdef', '-o', 'Dpkg::Options::=--force-confold'],
  // Another apt may be at work, and it may be for long.
  ...['-o', 'DPkg::Lock::Timeout=120'],
];

let queue = Promise.resolve();
let refreshed = false;

/**
 * Installs the Debian packages that are missing; `purpose` says what for. One call at a time reaches apt. With
 * `recommended`, apt also takes what each package recommends.
 */
export function installPackages(names, purpose, { recommended = false } = {}) {
  const done = queue.then(() => install(names, purpose, recommended ? [] : ['--no-install-recommends']));
  queue = done.catch(() => {});
  return done;
}

/** What installing these packages does to the machine; `mb` is what they take on the disk with all they need. */
export async function planPackages(names, mb) {
  const missing = await missingOf(names);
  if (missing.length === 0) return [];
  return [{ verb: 'install', what: `Debian packages, by apt-get as root: ${missing.join(' ')}`, mb }];
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
    throw new SetupProblem(`${purpose} needs ${wanted}, and this system has no apt-get: install them.`);
  }
  await refresh();
  const aptGet = [...QUIETLY, 'install', '-y', ...flags, ...missing];
  await must('apt', ...(await asRoot(aptGet, `sudo apt-get install -y ${wanted}`)));
}

/** Gets the lists of packages, once. One archive of several may fail: installing tells whether it was needed. */
async function refresh() {
  if (refreshed) return;
  refreshed = true;
  await logged('apt', ...(await asRoot([...QUIETLY, 'update'], 'sudo apt-get update')));
}

async function isInstalled(name) {
  const facts = await ask('dpkg-query', ['--status', name]);
  return facts !== null && /^Status: \S+ \S+ installed$/m.test(facts);
}
