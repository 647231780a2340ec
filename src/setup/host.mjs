import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { ask, must } from './commands.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { ensureDocker, planDocker } from './docker.mjs';
import { dockerDoctor, localDoctor, respondingDocker } from './dockerCli.mjs';
import { isInDockerGroup } from './dockerGroup.mjs';
import { ensurePythonImage, planPythonImage } from './image.mjs';
import { cli, out, programEnv, root } from './paths.mjs';
import { isInteractive } from './root.mjs';
import { SetupProblem } from './steps.mjs';

/** What sandboxes need where no container engine can be had. */
export const LOCAL_PACKAGES = ['bubblewrap'];
const STAMP = join(out, 'python-environment');
/** What `hothouse` runs with there. */
export const LOCAL = { HOTHOUSE_HOST_KIND: 'local' };

/** Finds or installs Docker; where this user cannot have it, bubblewrap. Resolves with the name of what runs sandboxes. */
export async function ensureHost() {
  if (await canHaveDocker()) return ensureDocker();
  await installPackages(LOCAL_PACKAGES, 'Running sandboxes without Docker, which this user cannot install or use,');
  const { info, problem } = (await localDoctor()).host;
  if (info) return info.name;
  throw new SetupProblem(`${problem.message} ${problem.advice}`, problem.command);
}

/** The plan of `ensureHost` and `ensurePython`. */
export async function planHost() {
  if (await canHaveDocker()) return [...(await planDocker()), ...(await planPythonImage())];
  const environment = "a Python environment in ~/.hothouse from PyPI's wheels";
  const isThere = existsSync(cli) && (await isCurrent());
  return [
    ...(await planPackages(LOCAL_PACKAGES, 1)),
    ...(isThere ? [] : [{ verb: 'build', what: environment, mb: 1100 }]),
  ];
}

/** Builds the environment of Python on the host of `ensureHost`, unless it is current. */
export async function ensurePythonEnvironment() {
  if (await canHaveDocker()) return ensurePythonImage();
  if (await isCurrent()) return;
  await must('python-environment', process.execPath, [cli, 'build', 'python'], { env: { ...programEnv(), ...LOCAL } });
  mkdirSync(out, { recursive: true });
  writeFileSync(STAMP, (await stampOf()) ?? '');
}

let answer;

/** Whether this user may use a container engine, or install one. Answered once: what is installed meanwhile changes nothing. */
function canHaveDocker() {
  answer ??= look();
  return answer;
}

async function look() {
  if (process.platform !== 'linux' || process.env.DOCKER_HOST || process.getuid() === 0) return true;
  if ((await respondingDocker()) || (await isInDockerGroup())) return true;
  // On a terminal sudo asks for a password, once it is needed.
  return (await ask('sudo', isInteractive() ? ['--version'] : ['-n', 'true'])) !== null || hasEngine();
}

/** An engine that the command line finds by itself: another socket, or a context. */
async function hasEngine() {
  return existsSync(cli) && (await dockerDoctor()).host.info !== null;
}

async function isCurrent() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === (await stampOf());
}

/** A hash of the environment and of what it is built from; null where there is none. */
async function stampOf() {
  const { image } = (await localDoctor()).environments.find(({ language }) => language === 'python');
  return image && hashOf(folderHash(join(root, 'images/python/local')), image.id);
}
