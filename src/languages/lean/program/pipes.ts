import { setTimeout } from 'node:timers/promises';
import { deferred } from '../../../base/deferred.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellOutput } from '../../language.ts';
import { TextStream } from '../../textStream.ts';
import type { Pipes } from './evaluation.ts';

/** Makes two named pipes and passes on what is written into them, until that ends or the script is told to end. */
const SCRIPT = `mkfifo -m 600 "$1" "$2" || exit 1
trap 'rm -f "$1" "$2"; kill -9 0' TERM
echo
cat "$1" &
cat "$2" >&2 &
wait
rm -f "$1" "$2"`;

/** What the script says when the pipes are there. */
const READY = '\n';

/** Once a program has ended, for what it has written to arrive; something it has started may hold the pipes open. */
const LAST_WORDS_MS = 300;

/** Bytes of each stream. */
export interface StreamBytes {
  readonly stdout: number;
  readonly stderr: number;
}

/** What pipes are to be. */
export interface PipesOptions {
  /** No other pipes of the sandbox have it. */
  readonly name: string;
  /** Bytes of stdout that are passed on. */
  readonly limit: number;
  readonly say: (output: CellOutput) => void;
}

/** Pipes in a sandbox that are read. */
export interface OpenPipes extends Pipes {
  /** Resolves when what was written has been passed on, with what was more than is kept. Never rejects. */
  close(): Promise<StreamBytes>;
}

/** Opens pipes for what a program writes; null where the sandbox can have none. Never rejects. */
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
      const last = () => Promise.race([channel.ended, setTimeout(LAST_WORDS_MS, null, { ref: false })]);
      const byItself = await last();
      if (!byItself) void channel.signal('SIGTERM');
      const end = byItself ?? (await last());
      if (end?.kind !== 'exit') return { stdout: 0, stderr: 0 };
      const { stdoutBytes, stderrBytes } = end.exit;
      return { stdout: stdoutBytes - READY.length - passed.stdout, stderr: stderrBytes - passed.stderr };
    },
  };
}
