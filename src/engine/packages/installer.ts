import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { type Log, messageOf } from '../../base/log.ts';
import type { Host } from '../../host/host.ts';
import type { ContainerSpec } from '../../host/spec.ts';
import { bootSandbox } from '../../sandbox/boot.ts';
import { SandboxFiles } from '../../sandbox/files/sandboxFiles.ts';
import type { Channel, Sandbox } from '../../sandbox/sandbox.ts';
import type { EngineDependencies } from '../deps.ts';
import { INSTALLER_FOLDER } from '../environment/sandboxSpec.ts';
import { type AddedPackage, AddedPackages } from './types.ts';

/** Bytes of the installer's own words that are kept. */
const MAX_OUTPUT_BYTES = 256 * 1024;
const LOOK = [
  'import os, sys, time',
  'while True:',
  ` s = os.statvfs("${INSTALLER_FOLDER}")`,
  ' print(s.f_bavail * s.f_frsize, flush=True)',
  ' time.sleep(0.5)',
].join('\n');
/** An installer stops before the machine's disk has less than this. */
const MIN_FREE_BYTES = 1024 ** 3;
/** What the program ends with when a copy of what it has made does not fit on the disk; `images/installers/disk.py`. */
const FULL_STATUS = 28;
const EVENTS = 1;

const Summary = z.object({ added: AddedPackages });

/** A file that the installer gets: a package that the user has. */
export interface InstallerFile {
  readonly name: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** How an installer starts; those with equal terms can take each other's place. */
export interface InstallerTerms {
  readonly host: Host;
  readonly spec: ContainerSpec;
  /** Text of the program that installs. */
  readonly program: string;
}

/** What an installer installs. */
export interface InstallerOrder {
  /** JSON for the program. */
  readonly request: unknown;
  readonly files: readonly InstallerFile[];
  readonly timeoutMs: number;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How an installer ended. */
export type InstallerEnd =
  | { readonly kind: 'installed'; readonly added: readonly AddedPackage[] }
  /** It has said why. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'stopped'; readonly reason: 'cancelled' | 'timeout' | 'disk_full' | 'lost' };

type Deps = Pick<EngineDependencies, 'agent' | 'clock' | 'log'>;

/** A container whose program waits for one order. */
export class Installer {
  readonly #sandbox: Sandbox;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #channel: Channel;
  readonly #decoder = new TextDecoder();
  #summary = '';
  #onOutput: (text: string) => void = () => {};
  #isLost = false;

  private constructor(sandbox: Sandbox, program: string, { clock, log }: Deps) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#log = log;
    this.#channel = sandbox.start(
      { kind: 'exec', argv: ['python3', '-I', '-c', program], cwd: '/', env: {} },
      {
        onStdout: (bytes) => {
          this.#summary += bytes.toString('utf8');
        },
        onStderr: (bytes) => this.#onOutput(this.#decoder.decode(bytes, { stream: true })),
      },
    );
    void this.#channel.ended.then(() => {
      this.#isLost = true;
    });
  }

  /** Starts its container and its program. Rejects with what the host rejects with. */
  static async start({ host, spec, program }: InstallerTerms, deps: Deps, signal?: AbortSignal): Promise<Installer> {
    const limits = { outputBytes: MAX_OUTPUT_BYTES, eventBytes: MAX_OUTPUT_BYTES, events: EVENTS };
    const sandbox = await bootSandbox(host, { spec, ...deps, ...limits }, signal);
    return new Installer(sandbox, program, deps);
  }

  get sandbox(): Pick<Sandbox, 'id' | 'decisions'> {
    return this.#sandbox;
  }

  /** Whether its program has ended: it takes no order. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Takes the one order that it can have. */
  async install({ request, files, timeoutMs, onOutput, signal }: InstallerOrder): Promise<InstallerEnd> {
    this.#onOutput = onOutput;
    if (files.length > 0) await this.#putFiles(files);
    const channel = this.#channel;
    let stopped: 'cancelled' | 'timeout' | 'disk_full' | null = null;
    const stop = (reason: typeof stopped) => {
      stopped ??= reason;
      void channel.signal('SIGKILL');
    };
    const watcher = watchDisk(this.#sandbox, () => stop('disk_full'));
    const timer = this.#clock.schedule(timeoutMs, () => stop('timeout'));
    const abort = () => stop('cancelled');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    await channel.write(Buffer.from(JSON.stringify(request)));
    channel.closeInput();
    const end = await channel.ended;
    timer.dispose();
    watcher();
    signal.removeEventListener('abort', abort);
    if (stopped) return { kind: 'stopped', reason: stopped };
    if (end.kind === 'lost') return { kind: 'stopped', reason: 'lost' };
    if (end.exit.code === FULL_STATUS) return { kind: 'stopped', reason: 'disk_full' };
    if (end.exit.code !== 0) return { kind: 'failed' };
    const read = Summary.safeParse(parsed(this.#summary));
    return read.success ? { kind: 'installed', added: read.data.added } : { kind: 'failed' };
  }

  /** What it has made, as an archive. */
  made(signal: AbortSignal): Promise<Readable> {
    return this.#sandbox.getArchive(`${INSTALLER_FOLDER}/data/out`, signal);
  }

  /** Removes its container. Never rejects. */
  async dispose(): Promise<void> {
    await this.#sandbox
      .dispose()
      .catch((error: unknown) => this.#log.warn(`An installer remains: ${messageOf(error)}`));
  }

  async #putFiles(files: readonly InstallerFile[]): Promise<void> {
    const workspace = new SandboxFiles(this.#sandbox, { clock: this.#clock });
    try {
      for (const { name, open } of files) await workspace.put(name, await open());
    } finally {
      workspace.close();
    }
  }
}

/** Calls `onFull` before the disk of the volumes is full; returns a function that ends it. */
function watchDisk(sandbox: Sandbox, onFull: () => void): () => void {
  let isOver = false;
  const start: Parameters<Sandbox['start']>[0] = {
    kind: 'exec',
    argv: ['python3', '-I', '-S', '-c', LOOK],
    cwd: '/',
    env: {},
  };
  const channel = sandbox.start(start, {
    onStdout: (bytes) => {
      const free = Number(bytes.toString('latin1').trim().split('\n').at(-1));
      if (!isOver && free < MIN_FREE_BYTES) onFull();
    },
    onStderr: () => {},
  });
  return () => {
    isOver = true;
    void channel.signal('SIGKILL');
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
