import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages, planPackages } from './apt.mjs';
import { ask, logFile, logged, must } from './commands.mjs';
import { dockerDoctor, respondingDocker } from './dockerCli.mjs';
import { reenterWithDockerGroup } from './dockerGroup.mjs';
import { logs } from './paths.mjs';
import { asRoot } from './root.mjs';
import { SetupProblem } from './steps.mjs';

const START_SECONDS = 60;
const DAEMON = 'dockerd';
const SOCKET = '/var/run/docker.sock';
const PACKAGES = ['docker.io'];

/** Finds a container engine, or installs and starts Docker; resolves with its name. */
export async function ensureDocker() {
  const { info, problem } = (await dockerDoctor()).host;
  if (info) return info.name;
  if (problem.kind === 'permission_denied') return reenterWithDockerGroup(problem);
  if (process.env.DOCKER_HOST || !['host_missing', 'host_stopped'].includes(problem.kind)) throw unusable(problem);
  if (!isDaemonInstalled()) await install(problem);
  await startDaemon();
  return waitForDocker();
}

/** The plan of `ensureDocker`. */
export async function planDocker() {
  if (process.env.DOCKER_HOST || isInaccessible() || (await respondingDocker())) return [];
  const packages = isDaemonInstalled() ? [] : await planPackages(PACKAGES, 300);
  return [...packages, { verb: 'start', what: 'the Docker daemon as root; it keeps running after this command' }];
}

/** Whether Docker runs and this user has no access to it. */
function isInaccessible() {
  try {
    accessSync(SOCKET, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    return error.code === 'EACCES';
  }
}

async function install(problem) {
  if ((await ask('apt-get', ['--version'])) === null) throw unusable(problem);
  try {
    // The recommended packages mount control groups and load AppArmor profiles.
    await installPackages(PACKAGES, 'Running sandboxes', { recommended: true });
  } catch (error) {
    // Where services cannot run, only the last step of the package fails, and we start the daemon ourselves.
    if (!isDaemonInstalled()) throw error;
  }
}

function isDaemonInstalled() {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(`${folder}/${DAEMON}`));
}

async function startDaemon() {
  if (existsSync('/run/systemd/system')) {
    const command = ['systemctl', 'start', 'docker'];
    return must('docker', ...(await asRoot(command, `sudo ${command.join(' ')}`)));
  }
  const command = ['service', 'docker', 'start'];
  const started = await logged('docker', ...(await asRoot(command, `sudo ${command.join(' ')}`)));
  // In a container or a small virtual machine the service may fail to raise its limits.
  if (started !== 0) await spawnDaemon();
}

async function spawnDaemon() {
  const [program, args] = await asRoot([DAEMON], `sudo ${DAEMON}`);
  mkdirSync(logs, { recursive: true });
  const log = openSync(logFile(DAEMON), 'a');
  // The daemon serves the machine and outlives this command.
  spawn(program, args, { detached: true, stdio: ['ignore', log, log] }).unref();
}

async function waitForDocker() {
  for (let second = 0; ; second++) {
    const { info, problem } = (await dockerDoctor()).host;
    if (info) return info.name;
    if (problem.kind === 'permission_denied') return reenterWithDockerGroup(problem);
    if (second >= START_SECONDS) throw unusable(problem);
    await sleep(1000);
  }
}

function unusable({ message, advice, command }) {
  return new SetupProblem(`${message} ${advice}`, command);
}
