import type { SignalName, Start } from '../../src/protocol/messages.ts';
import type { FakeFiles } from './fakeFiles.ts';
import type { FakeProcess, FakeSink } from './fakeProcess.ts';

type ExecStart = Extract<Start, { kind: 'exec' }>;

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGKILL: 9 } as const;

/** Its exit status; null while it waits for its stdin. */
type Program = (start: ExecStart, files: FakeFiles, print: (text: Buffer | string) => void) => number | null;

/** The few programs that a fake sandbox has. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  cat: ({ argv: [, name], cwd }, files, print) => {
    if (name === undefined) return null;
    const content = files.read(name.startsWith('/') ? name : `${cwd}/${name}`);
    if (content) print(content);
    return content ? 0 : 1;
  },
  false: () => 1,
  // Of `head -c BYTES /dev/zero`.
  head: ({ argv: [, , bytes] }, _, print) => {
    print(Buffer.alloc(Number(bytes)));
    return 0;
  },
  printenv: ({ argv: [, name = ''], env }, _, print) => {
    if (env[name] === undefined) return 1;
    print(`${env[name]}\n`);
    return 0;
  },
  pwd: ({ cwd }, _, print) => {
    print(`${cwd}\n`);
    return 0;
  },
};

/** A program of a fake sandbox. One that waits for its stdin copies it to stdout, as `cat` does. */
export class FakeProgram implements FakeProcess {
  readonly #sink: FakeSink;
  readonly #start: ExecStart;

  constructor(start: ExecStart, files: FakeFiles, sink: FakeSink) {
    this.#start = start;
    this.#sink = sink;
    // A process never answers within its start.
    setImmediate(() => this.#begin(files));
  }

  input(bytes: Buffer | null): void {
    setImmediate(() => {
      if (bytes) this.#sink.stdout(bytes);
      else this.#sink.exit({ code: 0, signal: null });
    });
  }

  signal(name: SignalName): void {
    this.#sink.exit({ code: null, signal: SIGNALS[name] });
  }

  #begin(files: FakeFiles): void {
    const { cwd, argv } = this.#start;
    const [name = ''] = argv;
    const program = PROGRAMS[name];
    if (!program || !files.isFolder(cwd)) {
      const subject = files.isFolder(cwd) ? name : cwd;
      this.#sink.exit({ code: 127, signal: null, failure: `${subject}: No such file or directory` });
      return;
    }
    const code = program(this.#start, files, (text) => this.#sink.stdout(Buffer.from(text)));
    if (code !== null) this.#sink.exit({ code, signal: null });
  }
}
