import { installPackages, planPackages } from './apt.mjs';
import { ask } from './commands.mjs';

/** With the whole standard library, which Debian splits into several packages. */
const PACKAGES = ['python3'];
const CHECK = 'import sys, unittest; sys.exit(sys.version_info < (3, 9))';

/** Installs the Python that the unit tests of the agent run on. */
export async function ensurePython() {
  if (!(await isUsable())) await installPackages(PACKAGES, 'Testing the agent');
}

/** The plan of `ensurePython`. */
export async function planPython() {
  return (await isUsable()) ? [] : planPackages(PACKAGES, 30);
}

async function isUsable() {
  return (await ask('python3', ['-c', CHECK])) !== null;
}
