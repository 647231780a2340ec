import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages, planPackages } from './apt.mjs';
import { ask, ended, logFile, logged, output } from './commands.mjs';
import { logs } from './paths.mjs';
import { vitest } from './suite.mjs';

const IMAGE = 'hothouse/python:latest';
/** The least that runs containers; netavark is for networks, without it Podman warns. */
const PACKAGES = ['podman', 'crun', 'netavark'];
/** Most of the image: libraries that these tests do not use. */
const LEFT_OUT = ['usr/share', 'usr/lib/python3', 'var'];
const START_MS = 20_000;

/** The plan of `podmanTests`. */
export async function planPodman() {
  return canHavePodman() ? planPackages(PACKAGES, 45) : [];
}

/** Runs the project `podman` on a Podman of its own; where Podman cannot run, says why and counts one skipped test. */
export async function podmanTests() {
  if (!canHavePodman()) return skipped('it needs Linux and root');
  const folder = await mkdtemp(join(tmpdir(), 'hothouse-podman-'));
  try {
    await installPackages(PACKAGES, 'Testing on Podman');
  } catch (error) {
    return skipped(error.message);
  }
  const podman = new OwnPodman(folder);
  try {
    const why = await podman.start();
    return why === null ? await vitest('podman', { DOCKER_HOST: `unix://${podman.socket}` }) : skipped(why);
  } finally {
    await podman.dispose();
  }
}

function canHavePodman() {
  return process.platform === 'linux' && process.getuid() === 0;
}

function skipped(why) {
  return { passed: 0, failed: 0, skipped: 1, details: `    Podman cannot be used here: ${why}` };
}

/** A Podman with storage and socket of its own, which no other one on the machine sees. */
class OwnPodman {
  #folder;
  #service = null;

  constructor(folder) {
    this.#folder = folder;
  }

  get socket() {
    return join(this.#folder, 'podman.sock');
  }

  /** Starts the service; null, or why it cannot run containers. */
  async start() {
    await this.#importImage();
    // Without limits of its own a container gets some that only a machine's full root may set.
    const limits = ['--ulimit=nproc=64:64', '--ulimit=nofile=1024:1024'];
    const probe = ['run', '--rm', '--network=none', ...limits, IMAGE, 'python3', '-c', ''];
    const { status, text } = await output('podman', this.#args(probe));
    if (status !== 0) return text.trim().split('\n').at(-1) || `status ${status}`;
    mkdirSync(logs, { recursive: true });
    const log = openSync(logFile('podman-service'), 'a');
    const args = this.#args(['system', 'service', '--time=0', `unix://${this.socket}`]);
    this.#service = spawn('podman', args, { stdio: ['ignore', log, log] });
    for (const late = performance.now() + START_MS; performance.now() < late; await sleep(100))
      if (existsSync(this.socket)) return null;
    return `its service did not start within ${START_MS / 1000} s`;
  }

  /** Ends it and removes its containers and files. */
  async dispose() {
    await logged('podman', 'podman', this.#args(['rm', '--all', '--force', '--volumes', '--time=0']));
    if (this.#service) {
      const end = ended(this.#service);
      this.#service.kill();
      await end;
    }
    for (const mount of mountsUnder(this.#folder)) await logged('podman', 'umount', ['--lazy', mount]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #args(args) {
    const own = ['root', 'runroot', 'tmpdir'].map((name) => `--${name}=${join(this.#folder, name)}`);
    return [...own, ...args];
  }

  /** Python and its libraries, from Docker's image. */
  async #importImage() {
    const packing = [
      'docker run --rm --network=none --workdir=/ --entrypoint tar',
      IMAGE,
      '--create --one-file-system',
    ];
    const left = LEFT_OUT.map((path) => `--exclude=./${path}`);
    const command = `${[...packing, ...left, '.'].join(' ')} | podman ${this.#args(['import', '-', IMAGE]).join(' ')}`;
    if ((await ask('bash', ['-o', 'pipefail', '-c', command])) === null) throw new Error(`failed: ${command}`);
  }
}

/** The deepest first. */
function mountsUnder(folder) {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mounts = lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${folder}/`));
  return mounts.toSorted((a, b) => b.length - a.length);
}
