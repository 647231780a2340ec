import { setTimeout } from 'node:timers/promises';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellOutput } from '../../language.ts';
import { TextStream } from '../../textStream.ts';
import type { Pipes } from './evaluation.ts';

/** Makes two named pipes and copies what is written to them, until the writers close them or SIGTERM arrives. */
const SCRIPT = `mkfifo -m 600 "$1" "$2" || exit 1
trap 'rm -f "$1" "$2"; kill -9 0' TERM
echo
cat "$1" &
cat "$2" >&2 &
wait
rm -f "$1" "$2"`;

/** The script prints this when the pipes exist. */
const READY = '\n';

/** The time for output to arrive after a program ends; a process that it started may keep the pipes open. */
const DRAIN_MS = 300;

/** Bytes of each stream. */
export interface StreamBytes {
  readonly stdout: number;
  readonly stderr: number;
}

/** Options of the pipes. */
export interface PipesOptions {
  /** Unique in the sandbox. */
  readonly name: string;
  /** The maximum of bytes of stdout that are passed on. */
  readonly limit: number;
  readonly say: (output: CellOutput) => void;
}

/** Open pipes in a sandbox. */
export interface OpenPipes extends Pipes {
  /** Resolves when all output is passed on, with the bytes dropped beyond the limit. Never rejects. */
  close(): Promise<StreamBytes>;
}

/** Opens pipes for a program's output; null when the sandbox cannot have any. Never rejects. */
export async function openPipes(sandbox: Sandbox, { name, limit, say }: PipesOptions): Promise<OpenPipes | null> {
  const paths = { stdout: `/tmp/${name}.out`, stderr: `/tmp/${name}.err` };
  const streams = { stdout: new TextStream(), stderr: new TextStream() };
  const passed = { stdout: 0, stderr: 0 };
  const opened = deferred<true>();
  let isReady = false;
  const pass = (kind: 'stdout' | 'stderr', bytes: Buffer) => {
    passed[kind] += bytes.length;
    const text = streams[kind].push(bytes);
    if (text !== '') say({ kind, text });
  };
  const argv = ['sh', '-c', SCRIPT, 'sh', paths.stdout, paths.stderr];
  const channel = sandbox.start(
    { kind: 'exec', argv, cwd: '/', env: {}, stdoutBytes: READY.length + limit },
    {
      onStdout: (bytes) => {
        pass('stdout', isReady ? bytes : bytes.subarray(READY.length));
        isReady = true;
        opened.resolve(true);
      },
      onStderr: (bytes) => pass('stderr', bytes),
    },
  );
  const isOpen = await Promise.race([opened.promise, channel.ended.then(() => false)]);
  if (!isOpen) return null;
  return {
    ...paths,
    async close() {
      const last = () => Promise.race([channel.ended, setTimeout(DRAIN_MS, null, { ref: false })]);
      const byItself = await last();
      if (!byItself) void channel.signal('SIGTERM');
      const end = byItself ?? (await last());
      if (end?.kind !== 'exit') return { stdout: 0, stderr: 0 };
      const { stdoutBytes, stderrBytes } = end.exit;
      return { stdout: stdoutBytes - READY.length - passed.stdout, stderr: stderrBytes - passed.stderr };
    },
  };
}
