import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages } from './apt.mjs';
import { doctor } from './doctor.mjs';
import { reenterWithDockerGroup } from './group.mjs';
import { logs } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { asRoot } from './root.mjs';
import { ask, logFile, must } from './run.mjs';

const START_SECONDS = 60;
const DAEMON = 'dockerd';

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

async function install(problem) {
  if ((await ask('apt-get', ['--version'])) === null) throw unusable(problem);
  await installPackages(['docker.io'], 'Running sandboxes');
}

function isDaemonInstalled() {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(`${folder}/${DAEMON}`));
}

async function startDaemon() {
  const [command, advice] = startCommand();
  if (command) return must('engine', ...(await asRoot(command, advice)));
  const [program, args] = await asRoot([DAEMON], `sudo ${DAEMON}`);
  mkdirSync(logs, { recursive: true });
  const log = openSync(logFile(DAEMON), 'a');
  // It serves the machine, not this command: it stays when we end.
  spawn(program, args, { detached: true, stdio: ['ignore', log, log] }).unref();
}

function startCommand() {
  if (existsSync('/run/systemd/system')) return [['systemctl', 'start', 'docker'], 'sudo systemctl start docker'];
  if (existsSync('/etc/init.d/docker')) return [['service', 'docker', 'start'], 'sudo service docker start'];
  return [null];
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
