import { SetupProblem } from './problem.mjs';
import { asRoot } from './root.mjs';
import { ask, must } from './run.mjs';

let queue = Promise.resolve();
let refreshed = false;

/** Installs the Debian packages that are missing; `purpose` says what for. One call at a time reaches apt. */
export function installPackages(names, purpose) {
  const done = queue.then(() => install(names, purpose));
  queue = done.catch(() => {});
  return done;
}

async function install(names, purpose) {
  const missing = [];
  for (const name of names) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length === 0) return;
  const command = `apt-get install -y ${missing.join(' ')}`;
  if ((await ask('apt-get', ['--version'])) === null) {
    throw new SetupProblem(`${purpose} needs ${missing.join(', ')}, and this system has no apt-get: install them.`);
  }
  if (!refreshed) await must('apt', ...(await asRoot(['apt-get', 'update'], `sudo apt-get update`)));
  refreshed = true;
  const install = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', '--no-install-recommends'];
  await must('apt', ...(await asRoot([...install, ...missing], `sudo ${command}`)));
}

async function isInstalled(name) {
  const facts = await ask('dpkg-query', ['--status', name]);
  return facts !== null && /^Status: \S+ \S+ installed$/m.test(facts);
}
