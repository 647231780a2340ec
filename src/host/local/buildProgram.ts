import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { plainText } from '../../base/log.ts';

/** As long as Docker's builds may take. */
const BUILD_MS = 30 * 60_000;
/** Of what a program that fails has written. */
const LAST_LINES = 5;

/** A program of a build with its arguments. */
export interface BuildProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds it may take; 30 minutes when left out. */
  readonly deadlineMs?: number | undefined;
}

/** A program of a build has failed; the message is its last lines. */
export class ProgramFailed extends Error {
  constructor(
    message: string,
    readonly status: number | null,
  ) {
    super(message);
  }
}

/** Resolves when the program has succeeded. Ends it, with all that it has started, when `signal` aborts. Rejects with
 * `ProgramFailed`. */
export async function runBuildProgram(build: BuildProgram): Promise<void> {
  const { program, args, env, onLine, signal, deadlineMs = BUILD_MS } = build;
  signal?.throwIfAborted();
  // A group of its own, so that what it has started ends with it.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, cwd: '/' });
  let last: readonly string[] = [];
  const both = new PassThrough();
  for (const stream of [child.stdout, child.stderr]) stream.pipe(both, { end: false });
  createInterface(both).on('line', (line) => {
    if (line.trim()) last = [...last.slice(1 - LAST_LINES), plainText(line.trimEnd())];
    onLine(line);
  });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    end();
  }, deadlineMs);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [status] = await once(child, 'close');
    both.end();
    signal?.throwIfAborted();
    if (isLate) throw new Error(`it took longer than ${Math.round(deadlineMs / 1000)} s (after: ${last.join('\n')}).`);
    if (status !== 0) throw new ProgramFailed(last.join('\n') || `${program} has failed.`, status);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', end);
  }
}
