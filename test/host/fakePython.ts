import type { Clock } from '../../src/base/clock.ts';
import type { InterpreterEvent, InterpreterRequest, InterpreterRun } from '../../src/protocol/interpreter.ts';
import type { Hello, SignalName } from '../../src/protocol/messages.ts';
import type { FakeFiles } from './fakeFiles.ts';
import type { FakeProcess, FakeSink } from './fakeProcess.ts';

/** What a script may do in place of Python code. */
export interface FakeIo {
  print(text: string): void;
  warn(text: string): void;
  display(data: Record<string, unknown>): void;
  result(data: Record<string, unknown>): void;
  /** Resolves after `ms`; rejects with an `Interrupt` when the run is interrupted. */
  sleep(ms: number): Promise<void>;
  /** The answer to a question; null without one. */
  ask(prompt: string): Promise<string | null>;
  /** Never returns; only SIGKILL ends it. */
  hang(): Promise<never>;
  /** The kernel kills the process for memory. */
  outOfMemory(): Promise<never>;
  /** The container ends with every process in it. */
  die(): Promise<never>;
  /** The process exits by itself after `ms`, whatever it does then. */
  leaveLater(ms: number, status: number): void;
  readonly variables: Map<string, unknown>;
  readonly stdin: string;
  readonly files: FakeFiles;
}

/** Replaces Python: performs `code`. Throws `PythonError`, `Exit` or `Interrupt` for any end but success. */
export type Script = (code: string, io: FakeIo) => Promise<void> | void;

class PythonError extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}
class ExitRequest extends Error {
  constructor(readonly status: number) {
    super();
  }
}
class Interrupt extends Error {}

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
  fill: (bytes, io) => io.print('x'.repeat(Number(bytes))),
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
  ask: async (prompt, io) => io.print(`${await io.ask(prompt)}\n`),
  stdin: (_, io) => io.print(io.stdin),
  read: (path, io) => {
    const text = io.files.read(path);
    if (text === null) throw new PythonError('FileNotFoundError', path);
    io.print(text.toString('utf8'));
  },
  write: (rest, io) => {
    const [path = '', ...words] = rest.split(' ');
    io.files.write(path, Buffer.from(words.join(' ')));
  },
  taint: (_, io) => io.files.taint('times of /dev/null'),
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

type Done = Extract<InterpreterEvent, { type: 'done' }>;
/** Bytes and number of displays and results that one run may send. */
type EventCaps = Pick<Hello, 'eventBytes' | 'events'>;

/** What every fake interpreter of one agent shares. */
export interface FakePythonHome {
  readonly script: Script;
  readonly clock: Clock;
  readonly files: FakeFiles;
  readonly caps: EventCaps;
}

/** A Python process of a fake sandbox: takes requests one after the other, as the real driver does. */
export class FakePython implements FakeProcess {
  readonly #home: FakePythonHome;
  readonly #sink: FakeSink;
  readonly #variables = new Map<string, unknown>();
  /** What has come of a request. */
  #request = '';
  #queue: Promise<void> = Promise.resolve();
  #sent = { bytes: 0, events: 0, dropped: 0 };
  #interrupt: () => void = () => {};
  /** Copies that it will become when it is asked to. */
  readonly #expected: FakePython[] = [];
  #begin: () => void = () => {};
  #take: (answer: string | null) => void = () => {};

  constructor(home: FakePythonHome, sink: FakeSink) {
    this.#home = home;
    this.#sink = sink;
  }

  /** A process that takes its requests once this one has been copied. */
  copyTo(sink: FakeSink): FakePython {
    const copy = new FakePython(this.#home, sink);
    copy.#queue = new Promise((resolve) => {
      copy.#begin = resolve;
    });
    this.#expected.push(copy);
    return copy;
  }

  run(payload: Buffer): void {
    this.#request += payload.toString('utf8');
    if (!this.#request.endsWith('\n')) return;
    const text = this.#request;
    this.#request = '';
    const answer = parseRequest(text);
    if (answer?.op === 'input') {
      this.#take(answer.text);
      return;
    }
    this.#queue = this.#queue.then(() => {
      const request = parseRequest(text);
      if (request && request.op !== 'input') return this.#answer(request);
      this.#sink.stderr(Buffer.from('JSONDecodeError\n'));
      this.#sink.exit({ code: 127, signal: null });
    });
  }

  signal(name: SignalName): void {
    if (name === 'SIGINT') this.#interrupt();
    else this.#sink.exit({ code: null, signal: name === 'SIGKILL' ? 9 : 15 });
  }

  async #answer(request: Exclude<InterpreterRequest, { op: 'input' }>): Promise<void> {
    if (request.op === 'copy') return this.#copy(request.token, request.count);
    if (request.op === 'complete') return this.#complete(request.token, request.code.slice(0, request.cursor));
    if (!request.once) this.#sink.event({ type: 'begun', token: request.token });
    const done = await this.#run(request);
    this.#sink.event(done);
    if (request.once) this.#sink.exit({ code: done.exitCode ?? (done.status === 'ok' ? 0 : 1), signal: null });
  }

  #copy(token: string, count: number): void {
    for (const copy of this.#expected.splice(0, count)) {
      for (const [name, value] of this.#variables) copy.#variables.set(name, value);
      copy.#begin();
    }
    this.#sink.event({ type: 'copied', token, threads: 0, sockets: 0 });
  }

  #complete(token: string, before: string): void {
    const [word = ''] = /\w*$/.exec(before) ?? [];
    const matches = [...this.#variables.keys()].filter((name) => name.startsWith(word));
    const end = before.length;
    this.#sink.event({ type: 'completions', token, start: end - word.length, end, matches });
  }

  async #run({ token, code, stdin, state, changesSince, asks = false }: InterpreterRun): Promise<Done> {
    this.#sent = { bytes: 0, events: 0, dropped: 0 };
    for (const [name, value] of Object.entries(state ?? {})) this.#variables.set(name, value);
    const end = await this.#attempt(code, this.#io(token, stdin, asks), token);
    if (state !== null)
      this.#sink.event({ type: 'state', token, state: Object.fromEntries(this.#variables), leftOut: [] });
    const filesChanged = changesSince === undefined ? undefined : this.#home.files.hasChanged(Number(changesSince));
    return { type: 'done', token, ...end, peakMemoryBytes: 1 << 20, dropped: this.#sent.dropped, filesChanged };
  }

  async #attempt(code: string, io: FakeIo, token: string): Promise<Pick<Done, 'status' | 'exitCode'>> {
    try {
      await this.#home.script(code, io);
      return { status: 'ok', exitCode: null };
    } catch (error) {
      if (error instanceof ExitRequest) return this.#exited(token, error.status);
      const interrupted = error instanceof Interrupt;
      const name = interrupted ? 'KeyboardInterrupt' : error instanceof Error ? error.name : 'Error';
      const message = error instanceof Error ? error.message : String(error);
      this.#sink.event({ type: 'error', token, name, message, traceback: `Traceback\n${name}: ${message}\n` });
      return { status: interrupted ? 'interrupted' : 'error', exitCode: null };
    }
  }

  #exited(token: string, exitCode: number): Pick<Done, 'status' | 'exitCode'> {
    if (exitCode === 0) return { status: 'ok', exitCode };
    this.#sink.event({ type: 'error', token, name: 'SystemExit', message: String(exitCode), traceback: '' });
    return { status: 'error', exitCode };
  }

  #io(token: string, stdin: string, asks: boolean): FakeIo {
    const { clock, files } = this.#home;
    return {
      print: (text) => this.#sink.stdout(Buffer.from(text)),
      warn: (text) => this.#sink.stderr(Buffer.from(text)),
      display: (data) => this.#publish({ type: 'display', token, data, id: null }),
      result: (data) => this.#publish({ type: 'result', token, data }),
      sleep: (ms) => this.#sleep(ms),
      ask: (prompt) => (asks ? this.#ask(token, prompt) : Promise.resolve(null)),
      hang: () => never(),
      outOfMemory: () => {
        this.#sink.exit({ code: null, signal: 9, oomKills: 1 });
        return never();
      },
      die: () => {
        this.#sink.die();
        return never();
      },
      leaveLater: (ms, code) => void clock.schedule(ms, () => this.#sink.exit({ code, signal: null })),
      variables: this.#variables,
      stdin,
      files,
    };
  }

  #publish(event: Extract<InterpreterEvent, { type: 'display' | 'result' }>): void {
    const { eventBytes, events } = this.#home.caps;
    const bytes = JSON.stringify(event.data).length;
    this.#sent.events += 1;
    if (this.#sent.events > events || this.#sent.bytes + bytes > eventBytes) {
      this.#sent.dropped += 1;
      return;
    }
    this.#sent.bytes += bytes;
    this.#sink.event(event);
  }

  #ask(token: string, prompt: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#take = resolve;
      this.#interrupt = () => reject(new Interrupt());
      this.#sink.event({ type: 'input', token, key: 1, prompt, secret: false });
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#home.clock.schedule(ms, resolve);
      this.#interrupt = () => reject(new Interrupt());
    });
  }
}

// Requests have no schema on the engine's side: the engine is the only one that writes them.
function parseRequest(text: string): InterpreterRequest | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
