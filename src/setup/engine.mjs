import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages, planPackages } from './apt.mjs';
import { answeringEngine, doctor } from './doctor.mjs';
import { reenterWithDockerGroup } from './group.mjs';
import { logs } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { asRoot } from './root.mjs';
import { ask, logFile, logged, must } from './run.mjs';

const START_SECONDS = 60;
const DAEMON = 'dockerd';
const SOCKET = '/var/run/docker.sock';
const PACKAGES = ['docker.io'];

/** Finds a container engine, or installs Docker and starts it; resolves with the engine's name. */
export async function ensureEngine() {
  const { info, problem } = (await doctor()).host;
  if (info) return info.name;
  if (problem.kind === 'permission_denied') return reenterWithDockerGroup(problem);
  if (process.env.DOCKER_HOST || !['engine_missing', 'engine_stopped'].includes(problem.kind)) throw unusable(problem);
  if (!isDaemonInstalled()) await install(problem);
  await startDaemon();
  return waitForEngine();
}

/** What that does to the machine. */
export async function planEngine() {
  if (process.env.DOCKER_HOST || isClosedToUs() || (await answeringEngine())) return [];
  const packages = isDaemonInstalled() ? [] : await planPackages(PACKAGES, 300);
  return [...packages, { verb: 'start', what: 'the Docker daemon, as root; it goes on when this command has ended' }];
}

/** Docker is there, and this user is not in its group. */
function isClosedToUs() {
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
    // Recommended: what mounts control groups, and what loads the kernel's profiles.
    await installPackages(PACKAGES, 'Running sandboxes', { recommended: true });
  } catch (error) {
    // Where services cannot run, only the package's last step fails, and we start the daemon ourselves.
    if (!isDaemonInstalled()) throw error;
  }
}

function isDaemonInstalled() {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(`${folder}/${DAEMON}`));
}

async function startDaemon() {
  if (existsSync('/run/systemd/system')) {
    const command = ['systemctl', 'start', 'docker'];
    return must('engine', ...(await asRoot(command, `sudo ${command.join(' ')}`)));
  }
  const command = ['service', 'docker', 'start'];
  const started = await logged('engine', ...(await asRoot(command, `sudo ${command.join(' ')}`)));
  // In a container or a small virtual machine the service may not raise its limits, and gives up.
  if (started !== 0) await spawnDaemon();
}

async function spawnDaemon() {
  const [program, args] = await asRoot([DAEMON], `sudo ${DAEMON}`);
  mkdirSync(logs, { recursive: true });
  const log = openSync(logFile(DAEMON), 'a');
  // It serves the machine, not this command: it stays when we end.
  spawn(program, args, { detached: true, stdio: ['ignore', log, log] }).unref();
}

async function waitForEngine() {
  for (let second = 0; ; second++) {
    const { info, problem } = (await doctor()).host;
    if (info) return info.name;
    if (problem.kind === 'permission_denied') return reenterWithDockerGroup(problem);
    if (second >= START_SECONDS) throw unusable(problem);
    await sleep(1000);
  }
}

function unusable({ message, advice, command }) {
  return new SetupProblem(`${message} ${advice}`, command);
}
