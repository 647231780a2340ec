import type { Clock } from '../../src/base/clock.ts';
import type { Exit } from '../../src/protocol/messages.ts';
import type { PythonEvent, PythonRequest, PythonRun } from '../../src/protocol/python.ts';

/** What a script may do while it stands in for Python code. */
export interface FakeIo {
  print(text: string): void;
  warn(text: string): void;
  display(data: Record<string, unknown>): void;
  result(data: Record<string, unknown>): void;
  /** Resolves after `ms`; rejects with an `Interrupt` when the run is interrupted. */
  sleep(ms: number): Promise<void>;
  /** Never returns, whatever is sent but SIGKILL. */
  hang(): Promise<never>;
  /** The kernel kills the process for memory. */
  outOfMemory(): Promise<never>;
  /** The container dies with all that is in it. */
  die(): Promise<never>;
  /** The process leaves by itself after `ms`, whatever it does then. */
  leaveLater(ms: number, status: number): void;
  readonly variables: Map<string, unknown>;
  readonly stdin: string;
}

/** Stands in for Python: does what `code` says. Throws `PythonError`, `Exit` or `Interrupt` to end otherwise than well. */
export type Script = (code: string, io: FakeIo) => Promise<void> | void;

export class PythonError extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}
export class ExitRequest extends Error {
  constructor(readonly status: number) {
    super();
  }
}
export class Interrupt extends Error {}

/** The default script: one command a line. Whatever it doesn't know is a NameError, as in Python. */
export const miniLanguage: Script = async (code, io) => {
  for (const line of code.split('\n').filter(Boolean)) {
    const [, command = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    const run = COMMANDS[command];
    if (!run) throw new PythonError('NameError', `name '${command}' is not defined`);
    await run(rest, io);
  }
};

const COMMANDS: Readonly<Record<string, (rest: string, io: FakeIo) => Promise<void> | void>> = {
  print: (text, io) => io.print(`${text}\n`),
  warn: (text, io) => io.warn(`${text}\n`),
  show: (text, io) => io.display({ 'text/plain': text }),
  error: (text) => {
    throw new PythonError('RuntimeError', text);
  },
  sleep: (ms, io) => io.sleep(Number(ms)),
  set: (rest, io) => {
    const [name = '', ...words] = rest.split(' ');
    io.variables.set(name, words.join(' '));
  },
  get: (name, io) => {
    if (!io.variables.has(name)) throw new PythonError('NameError', `name '${name}' is not defined`);
    io.result({ 'text/plain': String(io.variables.get(name)) });
  },
  stdin: (_, io) => io.print(io.stdin),
  exit: (status) => {
    throw new ExitRequest(Number(status));
  },
  hang: (_, io) => io.hang(),
  oom: (_, io) => io.outOfMemory(),
  die: (_, io) => io.die(),
  leave: (rest, io) => {
    const [ms, status] = rest.split(' ');
    io.leaveLater(Number(ms), Number(status));
  },
};

/** Where a fake process's words go. */
export interface FakeSink {
  stdout(bytes: Buffer): void;
  stderr(bytes: Buffer): void;
  event(event: PythonEvent, stdoutBytes: number, stderrBytes: number): void;
  exit(exit: Exit): void;
  /** Ends the whole container. */
  die(): void;
}

type Done = Extract<PythonEvent, { type: 'done' }>;

/** A Python process of a fake sandbox: takes requests one after the other, as the real driver does. */
export class FakePython {
  readonly #script: Script;
  readonly #sink: FakeSink;
  readonly #clock: Clock;
  readonly #variables = new Map<string, unknown>();
  #queue: Promise<void> = Promise.resolve();
  #alive = true;
  #counts = { stdout: 0, stderr: 0 };
  #interrupt: () => void = () => {};

  constructor(script: Script, sink: FakeSink, clock: Clock) {
    this.#script = script;
    this.#sink = sink;
    this.#clock = clock;
  }

  take(request: PythonRequest): void {
    this.#queue = this.#queue.then(() => this.#answer(request));
  }

  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
    if (name === 'SIGINT') this.#interrupt();
    else this.#leave({ code: null, signal: name === 'SIGKILL' ? 9 : 15 });
  }

  /** Ends it without a word, as a reset does. */
  silence(): void {
    this.#alive = false;
  }

  async #answer(request: PythonRequest): Promise<void> {
    if (!this.#alive) return;
    this.#counts = { stdout: 0, stderr: 0 };
    if (request.op === 'complete') {
      const matches = [...this.#variables.keys()].filter((name) => name.startsWith(request.code));
      this.#emit({ type: 'completions', token: request.token, start: 0, end: request.cursor, matches });
      return;
    }
    if (!request.once) this.#emit({ type: 'begun', token: request.token });
    const done = await this.#run(request);
    this.#emit(done);
    if (request.once) this.#leave({ code: done.exitCode ?? (done.status === 'ok' ? 0 : 1), signal: null });
  }

  async #run({ token, code, stdin, state }: PythonRun): Promise<Done> {
    for (const [name, value] of Object.entries(state ?? {})) this.#variables.set(name, value);
    const end = await this.#attempt(code, this.#io(token, stdin), token);
    if (state !== null) this.#emit({ type: 'state', token, state: Object.fromEntries(this.#variables), leftOut: [] });
    return { type: 'done', token, ...end, peakMemoryBytes: 1 << 20, dropped: 0 };
  }

  async #attempt(code: string, io: FakeIo, token: string): Promise<Pick<Done, 'status' | 'exitCode'>> {
    try {
      await this.#script(code, io);
      return { status: 'ok', exitCode: null };
    } catch (error) {
      if (error instanceof ExitRequest) return { status: error.status === 0 ? 'ok' : 'error', exitCode: error.status };
      const interrupted = error instanceof Interrupt;
      const name = interrupted ? 'KeyboardInterrupt' : error instanceof Error ? error.name : 'Error';
      const message = error instanceof Error ? error.message : String(error);
      this.#emit({ type: 'error', token, name, message, traceback: `Traceback\n${name}: ${message}\n` });
      return { status: interrupted ? 'interrupted' : 'error', exitCode: null };
    }
  }

  #io(token: string, stdin: string): FakeIo {
    return {
      print: (text) => this.#write('stdout', text),
      warn: (text) => this.#write('stderr', text),
      display: (data) => this.#emit({ type: 'display', token, data, id: null }),
      result: (data) => this.#emit({ type: 'result', token, data }),
      sleep: (ms) => this.#sleep(ms),
      hang: () => never(),
      outOfMemory: () => {
        this.#leave({ code: null, signal: 9, oomKills: 1 });
        return never();
      },
      die: () => {
        this.#sink.die();
        return never();
      },
      leaveLater: (ms, code) => void this.#clock.schedule(ms, () => this.#leave({ code, signal: null })),
      variables: this.#variables,
      stdin,
    };
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#clock.schedule(ms, resolve);
      this.#interrupt = () => reject(new Interrupt());
    });
  }

  #write(stream: 'stdout' | 'stderr', text: string): void {
    if (!this.#alive) return;
    const bytes = Buffer.from(text);
    this.#counts[stream] += bytes.length;
    this.#sink[stream](bytes);
  }

  #emit(event: PythonEvent): void {
    if (this.#alive) this.#sink.event(event, this.#counts.stdout, this.#counts.stderr);
  }

  #leave(how: Pick<Exit, 'code' | 'signal'> & Partial<Exit>): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#sink.exit({
      peakMemoryBytes: 1 << 20,
      oomKills: 0,
      stdoutBytes: this.#counts.stdout,
      stderrBytes: this.#counts.stderr,
      eventsDropped: 0,
      failure: null,
      ...how,
    });
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
