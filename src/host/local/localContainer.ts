import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Container, ContainerEnd, OtherLimits } from '../host.ts';
import { HostError } from '../host.ts';
import { packVolume, unpackInVolume } from './archive.ts';
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

/** A sandbox of this machine: a tree of processes that ends with its first one, and with this process. */
export class LocalContainer implements Container {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<ContainerEnd>;
  readonly #process: ChildProcess;
  readonly #volumes: ReadonlyMap<string, string>;
  readonly #limit: Command['limit'];

  private constructor(
    readonly id: string,
    { process, stdin, stdout, stderr }: Streams,
    readonly first: FirstProcess,
    volumes: ReadonlyMap<string, string>,
    limit: Command['limit'],
    ended: Promise<ContainerEnd>,
  ) {
    this.#process = process;
    this.#limit = limit;
    this.#volumes = volumes;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.ended = ended;
  }

  /**
   * Runs a command that becomes bubblewrap; `volumes` has the folder of each volume by its path. `cleanUp` is called when it
   * has ended, and everything waits for it. Rejects with a `HostError`.
   */
  static async start(
    id: string,
    { program, args, env, limit }: Command,
    volumes: ReadonlyMap<string, string>,
    cleanUp: () => Promise<void>,
  ): Promise<LocalContainer> {
    // In a session of its own: Ctrl+C in a terminal is for us alone.
    const child = spawn(program, args, { stdio: 'pipe', detached: true, cwd: '/', ...(env && { env }) });
    const streams = streamsOf(child);
    const ended = endOf(child).then(async (end) => {
      // What stays is removed by a later sweep.
      await cleanUp().catch(() => {});
      return end;
    });
    try {
      return new LocalContainer(id, streams, await firstProcess(child), volumes, limit, ended);
    } catch (error) {
      child.kill('SIGKILL');
      // What it has said is complete then. Without an id it never started.
      if (child.pid !== undefined) await ended;
      const said = String(streams.stderr.read() ?? '');
      throw new HostError(await startProblem(Object.assign(toError(error), { stderr: said })));
    }
  }

  async isRunning(): Promise<boolean> {
    return (await startOf(this.first.pid)) === this.first.startedAt;
  }

  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void> {
    return unpackInVolume(this.#volumes, path, archive, signal);
  }

  async getArchive(path: string): Promise<Readable> {
    return packVolume(this.#volumes, path);
  }

  async limit(limits: OtherLimits): Promise<boolean> {
    return (await this.#limit?.(limits)) ?? false;
  }

  async remove(): Promise<void> {
    await endFirst(this.first);
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
 * The process that bubblewrap starts. bubblewrap would also write its id to a pipe, but once nothing reads that because this
 * process was killed, it would end there and leave the other one, which waits for it without end.
 */
async function firstProcess(bubblewrap: ChildProcess): Promise<FirstProcess> {
  const ends = new AbortController();
  bubblewrap.once('error', (error) => ends.abort(error));
  bubblewrap.once('exit', () => ends.abort(new Error('it has ended at once')));
  for (;;) {
    const [pid] = bubblewrap.pid === undefined ? [] : await childrenOf(bubblewrap.pid);
    const startedAt = pid === undefined ? null : await startOf(pid);
    if (pid !== undefined && startedAt !== null) return { pid, startedAt };
    ends.signal.throwIfAborted();
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

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
