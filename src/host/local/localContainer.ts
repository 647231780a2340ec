import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Container, ContainerEnd, OtherLimits } from '../host.ts';
import { HostError } from '../host.ts';
import { packVolume, unpackInVolume, type VolumeFolders } from './archive.ts';
import { startProblem } from './bubblewrap.ts';
import { childrenOf, startOf } from './processes.ts';

/** A signal's number is added to it in the exit status of a program that the signal has ended. */
const SIGNALLED = 128;
/** Between two looks whether bubblewrap has started a process. */
const LOOK_MS = 1;
const UNREAD_MS = 500;

/** A program with its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Its variables; those of this process when left out. */
  readonly env?: NodeJS.ProcessEnv;
  /** As for a container; without it no limit can be changed. */
  readonly limit?: (limits: OtherLimits) => Promise<boolean>;
}

/** What this machine has for a sandbox. */
export interface Surroundings {
  /** The folder of each volume, by its path in the sandbox. */
  readonly volumes: VolumeFolders;
  /** As for a container. */
  readonly compiled: (agent: Buffer) => Promise<Buffer>;
  /** Called when it has ended; everything waits for it. */
  readonly cleanUp: () => Promise<void>;
}

/** A sandbox of this machine: a tree of processes that ends with its first one, and with this process. */
export class LocalContainer implements Container {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ContainerEnd>;
  readonly #process: ChildProcess;
  readonly #surroundings: Surroundings;
  readonly #limit: Command['limit'];

  private constructor(
    readonly id: string,
    { process, stdin, stdout, stderr }: Streams,
    readonly first: FirstProcess | null,
    surroundings: Surroundings,
    limit: Command['limit'],
    ended: Promise<ContainerEnd>,
  ) {
    this.#process = process;
    this.#limit = limit;
    this.#surroundings = surroundings;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.ended = ended;
  }

  /** Runs a command that becomes bubblewrap. Rejects with a `HostError`. */
  static async start(
    id: string,
    { program, args, env, limit }: Command,
    surroundings: Surroundings,
  ): Promise<LocalContainer> {
    // In a session of its own: Ctrl+C in a terminal is for us alone.
    const child = spawn(program, args, { stdio: 'pipe', detached: true, cwd: '/', ...(env && { env }) });
    const streams = streamsOf(child);
    const ended = endOf(child).then(async (end) => {
      // What stays is removed by a later sweep.
      await surroundings.cleanUp().catch(() => {});
      return end;
    });
    try {
      const first = await firstProcess(child);
      if (first !== null) return new LocalContainer(id, streams, first, surroundings, limit, ended);
      await ended;
      // It is complete now.
      const said = String(streams.stderr.read() ?? '');
      if (!isOfProgram(said)) throw Object.assign(new Error('it has ended at once'), { stderr: said });
      const heard = { ...streams, stderr: Readable.from([said]) };
      return new LocalContainer(id, heard, null, surroundings, limit, ended);
    } catch (error) {
      child.kill('SIGKILL');
      throw new HostError(await startProblem(error));
    }
  }

  async isRunning(): Promise<boolean> {
    return this.first !== null && (await startOf(this.first.pid)) === this.first.startedAt;
  }

  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void> {
    return unpackInVolume(this.#surroundings.volumes, path, archive, signal);
  }

  async getArchive(path: string): Promise<Readable> {
    return packVolume(this.#surroundings.volumes, path);
  }

  compiled(agent: Buffer): Promise<Buffer> {
    return this.#surroundings.compiled(agent);
  }

  async limit(limits: OtherLimits): Promise<boolean> {
    return (await this.#limit?.(limits)) ?? false;
  }

  async remove(): Promise<void> {
    if (this.first !== null) await endFirst(this.first);
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  /** Nothing else could hold its pipes: it ends. */
  async detach(): Promise<void> {
    this.stdin.end();
    await this.remove();
  }

  /** Sweeps find none without its owner: it ends with this process. */
  async spare(): Promise<void> {}
}

/** A process of a sandbox, by the ids of this machine. */
export interface FirstProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** Ends the first process of a sandbox, and with it every other. bubblewrap may not have tied its end to its own yet. */
export async function endFirst({ pid, startedAt }: FirstProcess): Promise<void> {
  // Ids are used again.
  if ((await startOf(pid)) !== startedAt) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

interface Streams {
  readonly process: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

function streamsOf(process: ChildProcess): Streams {
  const { stdin, stdout, stderr } = process;
  if (!stdin || !stdout || !stderr) throw new Error('the process has no pipes');
  // A broken pipe shows as the end of the container; without a listener the error would end this process.
  stdin.on('error', () => {});
  // Node would drop what nobody has read yet when the process ends.
  return { process, stdin, stdout, stderr: stderr.pipe(new PassThrough()) };
}

/**
 * The process that bubblewrap starts; null when it has ended before it was seen. Rejects when bubblewrap cannot be started.
 * bubblewrap would also write its id to a pipe, but once nothing reads that because this process was killed, it would end
 * there and leave the other one, which waits for it without end.
 */
async function firstProcess(bubblewrap: ChildProcess): Promise<FirstProcess | null> {
  const failed = new AbortController();
  bubblewrap.once('error', (error) => failed.abort(error));
  for (;;) {
    const [pid] = bubblewrap.pid === undefined ? [] : await childrenOf(bubblewrap.pid);
    const startedAt = pid === undefined ? null : await startOf(pid);
    if (pid !== undefined && startedAt !== null) return { pid, startedAt };
    failed.signal.throwIfAborted();
    if (bubblewrap.exitCode !== null || bubblewrap.signalCode !== null) return null;
    await pause(LOOK_MS);
  }
}

/** Resolves once its output has been read, or has waited for so long. */
function endOf(process: ChildProcess): Promise<ContainerEnd> {
  return new Promise((resolve) => {
    process.once('exit', (status, signal) => {
      const reason = signal === null ? reasonOf(status ?? 0) : 'it was removed';
      const late = setTimeout(() => resolve({ exitCode: status, oomKilled: false, reason }), UNREAD_MS);
      process.once('close', () => {
        clearTimeout(late);
        resolve({ exitCode: status, oomKilled: false, reason });
      });
    });
  });
}

function reasonOf(status: number): string {
  return status > SIGNALLED
    ? `its first process was ended by signal ${status - SIGNALLED}`
    : `its first process ended with status ${status}`;
}

/** Whether bubblewrap, or what was to become it, has not said that it failed: then its program has ended. */
function isOfProgram(said: string): boolean {
  return !/^(bwrap: |Failed to )/m.test(said);
}
