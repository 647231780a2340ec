import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askEngine } from './engineApi.ts';
import { pause } from './harness.ts';

const run = promisify(execFile);
const IMAGE = 'hothouse/python:latest';
/** Most of the image: libraries that are written in Python or only read by them. */
const LEFT_OUT = ['usr/share', 'usr/lib/python3', 'var'];
const START_MS = 30_000;
const END_MS = 15_000;

/** Why no Docker Engine of a test's own can be started here; null when it can. */
function missingRequirement(): string | null {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = ['dockerd', 'containerd'].find((program) => !programPath(program));
  return missing ? `there is no ${missing}` : null;
}

/** Prints in one line why tests are skipped, if they are. */
export function skipped(rows: string): boolean {
  const why = missingRequirement();
  if (why) console.warn(`${rows}: skipped, a Docker Engine of the test's own cannot be started: ${why}`);
  return why !== null;
}

/** What a Docker Engine of a test has beside its own processes, socket and folders. */
export interface OwnEngineHas {
  /** A network of containers, from which nothing leads out; otherwise none. */
  readonly hasNetwork?: boolean;
  /** A disk of its own, in memory, whose free space `leave` sets. */
  readonly hasDisk?: boolean;
}

/**
 * A Docker Engine beside the machine's. `dispose` ends what it started and nothing else.
 */
export class OwnEngine {
  readonly #folder: string;
  readonly #children: { containerd: ChildProcess | null; dockerd: ChildProcess | null } = {
    containerd: null,
    dockerd: null,
  };

  readonly #has: OwnEngineHas;

  private constructor(folder: string, has: OwnEngineHas) {
    this.#folder = folder;
    this.#has = has;
    process.once('exit', this.#onExit);
  }

  /** A running engine that has the Python image, without its libraries. */
  static async create(has: OwnEngineHas = {}): Promise<OwnEngine> {
    const engine = new OwnEngine(await mkdtemp(join(tmpdir(), 'hothouse-engine-')), has);
    try {
      await engine.#prepare();
      await engine.start();
      await engine.#importImage();
      return engine;
    } catch (error) {
      const log = readFileSync(join(engine.#folder, 'dockerd.log'), 'utf8').slice(-2000);
      await engine.dispose();
      throw new Error(`the test's own Docker Engine did not start: ${error}\n${log}`);
    }
  }

  /** As in DOCKER_HOST. */
  get host(): string {
    return `unix://${this.socket}`;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** The path of the socket that it listens on. */
  get socket(): string {
    return join(this.#folder, 'docker.sock');
  }

  /** Starts it; resolves when it answers. */
  async start(): Promise<void> {
    this.#children.dockerd = this.#spawn('dockerd', [
      ...['--config-file', join(this.#folder, 'daemon.json'), '--pidfile', join(this.#folder, 'docker.pid')],
      ...['--host', this.host, '--containerd', join(this.#folder, 'containerd.sock')],
      ...['--data-root', this.#data, '--exec-root', join(this.#folder, 'exec')],
      ...(this.#has.hasNetwork ? [] : ['--bridge=none', '--iptables=false']),
      ...['--ip-forward=false', '--ip-masq=false', '--shutdown-timeout=5'],
    ]);
    await this.#answers();
  }

  /** Ends it as a service manager does (SIGTERM), or as a crash does; resolves when it is gone. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await end(this.#children.dockerd, signal);
  }

  /** Starts a program of Node.js in the network of its containers. */
  spawnInside(args: readonly string[]): ChildProcess {
    const network = `--net=/proc/${this.#children.dockerd?.pid}/ns/net`;
    return spawn('nsenter', [network, process.execPath, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Leaves so much free space on a disk of its own. */
  async leave(bytes: number): Promise<void> {
    const { stdout } = await run('df', ['--block-size=1', '--output=used', this.#data]);
    const size = Number(stdout.split('\n')[1]) + bytes;
    await run('mount', ['--options', `remount,size=${Math.ceil(size / 4096) * 4096}`, this.#data]);
  }

  /** From now on it accepts connections, and nothing more. */
  freeze(): void {
    this.#children.dockerd?.kill('SIGSTOP');
  }

  /** Ends a freeze. */
  thaw(): void {
    this.#children.dockerd?.kill('SIGCONT');
  }

  async dispose(): Promise<void> {
    this.thaw();
    await end(this.#children.dockerd, 'SIGTERM');
    await end(this.#children.containerd, 'SIGTERM');
    process.off('exit', this.#onExit);
    // What is left names our folder on its command line: the shims of containers that could not be ended otherwise.
    for (const pid of processesNaming(this.#folder)) process.kill(pid, 'SIGKILL');
    for (const mount of mountsUnder(this.#folder)) await run('umount', ['--lazy', mount]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  readonly #onExit = () => {
    for (const child of Object.values(this.#children)) child?.kill('SIGKILL');
  };

  async #prepare(): Promise<void> {
    if (this.#has.hasDisk) {
      await mkdir(this.#data);
      await run('mount', ['--types', 'tmpfs', '--options', 'size=4g', 'tmpfs', this.#data]);
    }
    await writeFile(join(this.#folder, 'daemon.json'), '{}');
    await writeFile(join(this.#folder, 'containerd.toml'), 'version = 2\n');
    // Not the one that the machine's engine may use: both would see each other's containers.
    this.#children.containerd = this.#spawn('containerd', [
      ...['--config', join(this.#folder, 'containerd.toml'), '--address', join(this.#folder, 'containerd.sock')],
      ...['--root', join(this.#folder, 'containerd'), '--state', join(this.#folder, 'containerd-state')],
    ]);
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.#folder, `${program}.log`), 'a');
    // In a network of its own: an engine without a bridge removes the one by the usual name, the machine's.
    return spawn('unshare', ['--net', programPath(program) ?? program, ...args], { stdio: ['ignore', log, log] });
  }

  async #answers(): Promise<void> {
    for (const late = performance.now() + START_MS; performance.now() < late; await pause(50)) {
      const answer = await askEngine('GET', '/_ping', this.socket).catch(() => null);
      if (answer?.status === 200) return;
      if (hasEnded(this.#children.dockerd)) throw new Error('it has ended');
    }
    throw new Error(`it did not answer within ${START_MS} ms`);
  }

  /** Python and its libraries, from the machine's own image. */
  async #importImage(): Promise<void> {
    const from = ['run', '--rm', '--network=none', '--workdir=/', '--entrypoint', 'tar', IMAGE];
    const kept = [...LEFT_OUT.map((path) => `--exclude=./${path}`), '.'];
    const packing = spawn('docker', [...from, '--create', '--one-file-system', ...kept], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const importing = spawn('docker', ['--host', this.host, 'import', '-', IMAGE], {
      stdio: [packing.stdout, 'ignore', 'inherit'],
    });
    const [status] = await once(importing, 'close');
    if (status !== 0) throw new Error(`the image could not be imported (${status})`);
  }
}

function hasEnded(child: ChildProcess | null): boolean {
  return !child || child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(late);
}

function programPath(program: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

function processesNaming(text: string): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => pid !== process.pid && commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** The deepest first. */
function mountsUnder(folder: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mounts = lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${folder}/`));
  return mounts.toSorted((a, b) => b.length - a.length);
}
