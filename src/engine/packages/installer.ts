import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { type Log, messageOf } from '../../base/log.ts';
import type { Host } from '../../host/host.ts';
import type { ContainerSpec } from '../../host/spec.ts';
import { bootSandbox } from '../../sandbox/boot.ts';
import { SandboxFiles } from '../../sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { INSTALLER_FOLDER } from '../environment/sandboxSpec.ts';
import type { AddedPackage } from './types.ts';

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
const EVENTS = 1;

const Summary = z.object({
  added: z
    .array(
      z.object({ name: z.string().max(200), version: z.string().max(200), replaced: z.string().max(200).nullable() }),
    )
    .max(5_000),
});

/** A file that the installer gets: a package that the user has. */
export interface InstallerFile {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** One run of an installer. */
export interface InstallerRun {
  readonly host: Host;
  readonly spec: ContainerSpec;
  readonly agent: Buffer;
  readonly clock: Clock;
  readonly log: Log;
  /** Text of the program that installs. */
  readonly program: string;
  /** JSON for the program. */
  readonly request: unknown;
  readonly files: () => AsyncIterable<InstallerFile>;
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

/**
 * Runs an installer in a container of its own; `take` may read what it has made before the container goes. Rejects with
 * what the host or `take` rejects with.
 */
export async function runInstaller(
  run: InstallerRun,
  take: (sandbox: Sandbox, added: readonly AddedPackage[]) => Promise<void>,
): Promise<InstallerEnd> {
  const { host, spec, agent, clock, log, signal } = run;
  const limits = { outputBytes: MAX_OUTPUT_BYTES, eventBytes: MAX_OUTPUT_BYTES, events: EVENTS };
  const sandbox = await bootSandbox(host, { spec, agent, clock, log, ...limits }, signal);
  try {
    await putFiles(sandbox, run);
    const end = await install(sandbox, run);
    if (end.kind === 'installed' && end.added.length > 0) await take(sandbox, end.added);
    return end;
  } finally {
    await sandbox.dispose().catch((error: unknown) => log.warn(`an installer remains: ${messageOf(error)}`));
  }
}

async function putFiles(sandbox: Sandbox, { files, clock }: InstallerRun): Promise<void> {
  const workspace = new SandboxFiles(sandbox, { clock });
  try {
    for await (const { name, content } of files()) await workspace.put(name, content);
  } finally {
    workspace.close();
  }
}

async function install(sandbox: Sandbox, run: InstallerRun): Promise<InstallerEnd> {
  const { clock, signal, program, request, onOutput, timeoutMs } = run;
  let stopped: 'cancelled' | 'timeout' | 'disk_full' | null = null;
  let summary = '';
  const decoder = new TextDecoder();
  const start: Parameters<Sandbox['start']>[0] = {
    kind: 'exec',
    argv: ['python3', '-I', '-c', program],
    cwd: '/',
    env: {},
  };
  const channel = sandbox.start(start, {
    onStdout: (bytes) => {
      summary += bytes.toString('utf8');
    },
    onStderr: (bytes) => onOutput(decoder.decode(bytes, { stream: true })),
  });
  const stop = (reason: typeof stopped) => {
    stopped ??= reason;
    void channel.signal('SIGKILL');
  };
  const watcher = watchDisk(sandbox, () => stop('disk_full'));
  const timer = clock.schedule(timeoutMs, () => stop('timeout'));
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
  if (end.exit.code !== 0) return { kind: 'failed' };
  const read = Summary.safeParse(parsed(summary));
  return read.success ? { kind: 'installed', added: read.data.added } : { kind: 'failed' };
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
