import { expect } from 'vitest';
import type { Host } from '../../../src/host/host.ts';
import type { InterpreterRun } from '../../../src/protocol/interpreter.ts';
import { type BootOptions, resumeSandbox } from '../../../src/sandbox/boot.ts';
import type { Channel, ChannelEnd, ChannelListener, ResumedSandbox, Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Snippets } from './snippets.ts';

/** Caps that cases can reach: bytes of each stream and of events, and events, for one run. */
export const CAPS = { outputBytes: 1_000, eventBytes: 2_000, events: 20 } satisfies Partial<BootOptions>;

/** An agent that is held to the contract. */
export interface AgentUnderTest {
  readonly code: Snippets;
  /** A new sandbox with the agent in it and `CAPS` as its terms. */
  open(): Promise<Sandbox>;
  /** The sandbox of that id, as another engine takes it over. */
  resume(id: string, secret: string): Promise<ResumedSandbox>;
  close(): Promise<void>;
}

/** What a case gets. */
export interface AgentCase {
  readonly code: Snippets;
  /** A sandbox in which nothing runs. It may have run something before. */
  readonly sandbox: Sandbox;
}

interface Event extends Record<string, unknown> {
  readonly type: string;
}

/** What a process has sent; neighbouring chunks of one stream are one entry. */
export type Entry =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'event'; readonly event: Event; readonly stdoutBytes: number; readonly stderrBytes: number };

/** Keeps what a channel's process sends, in the order of arrival. */
class Recorder {
  readonly entries: Entry[] = [];
  onEntry: (entry: Entry) => void = () => {};

  readonly listener = {
    onStdout: (bytes: Buffer) => this.#addText('stdout', bytes.toString('utf8')),
    onStderr: (bytes: Buffer) => this.#addText('stderr', bytes.toString('utf8')),
    onEvent: this.#addEvent.bind(this),
  };

  #addText(kind: 'stdout' | 'stderr', text: string): void {
    const last = this.entries.at(-1);
    if (last?.kind === kind) this.entries[this.entries.length - 1] = { kind, text: last.text + text };
    else this.entries.push({ kind, text });
    this.onEntry({ kind, text });
  }

  // biome-ignore lint/correctness/useYield: recording takes no time.
  *#addEvent(line: Buffer, stdoutBytes: number, stderrBytes: number) {
    const entry = { kind: 'event', event: JSON.parse(line.toString('utf8')), stdoutBytes, stderrBytes } as const;
    this.entries.push(entry);
    this.onEntry(entry);
  }
}

/** What one request made the process send, up to the end of the request or of the process. */
class Cell {
  constructor(readonly entries: readonly Entry[]) {}

  get stdout(): string {
    return this.#text('stdout');
  }

  get stderr(): string {
    return this.#text('stderr');
  }

  get events(): readonly Event[] {
    return this.entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  }

  event(type: string): Event | undefined {
    return this.events.find((event) => event.type === type);
  }

  /** The order in which things arrived: a stream's text, or an event's type with what it shows. */
  get order(): readonly string[] {
    return this.entries.map((entry) =>
      entry.kind === 'event' ? [entry.event.type, textOf(entry.event)].filter(Boolean).join(' ') : entry.text,
    );
  }

  #text(kind: 'stdout' | 'stderr'): string {
    return this.entries.flatMap((entry) => (entry.kind === kind ? [entry.text] : [])).join('');
  }
}

function typeOf(entry: Entry): string {
  return entry.kind === 'event' ? entry.event.type : entry.kind;
}

function textOf({ data }: Event): string {
  return (data as Record<string, string> | undefined)?.['text/plain'] ?? '';
}

const ENDS = ['done', 'completions', 'copied'];

/** An interpreter process, by its channel. */
export class Interpreter {
  readonly channel: Channel;
  readonly #recorder = new Recorder();
  #counter = 0;

  /** `original`: the channel of an interpreter that it will be a copy of. */
  /** `original`: a channel whose process it is a copy of, or what continues with a process that is there. */
  constructor(sandbox: Sandbox, preloaded = false, original?: Channel | ((listener: ChannelListener) => Channel)) {
    const { listener } = this.#recorder;
    if (typeof original === 'function') this.channel = original(listener);
    else this.channel = original?.copy(listener) ?? sandbox.start({ kind: 'interpreter', preloaded }, listener);
  }

  /** Copies of its process. */
  async copies(sandbox: Sandbox, count: number): Promise<Interpreter[]> {
    const copies = Array.from({ length: count }, () => new Interpreter(sandbox, false, this.channel));
    await this.copy(count);
    return copies;
  }

  /** Has the process become so many copies, whose channels have been started. */
  async copy(count: number): Promise<void> {
    const cell = await this.#ask({ op: 'copy', count });
    expect(cell.event('copied')).toBeDefined();
  }

  /** Runs a cell as a program does when `once` is set, otherwise as a cell of a session. */
  run(code: string, request: Partial<InterpreterRun> = {}): Promise<Cell> {
    return this.#ask({ op: 'run', name: '<cell>', stdin: '', state: null, once: false, code, ...request });
  }

  complete(code: string, cursor = code.length): Promise<Cell> {
    return this.#ask({ op: 'complete', code, cursor });
  }

  /** Resolves when the running cell has sent something: an event of the type, or text on the stream of the name. */
  sent(type: string): Promise<void> {
    return new Promise((resolve) => {
      const isThere = () => this.#recorder.entries.some((entry) => type === typeOf(entry));
      const { onEntry } = this.#recorder;
      this.#recorder.onEntry = (entry) => {
        onEntry(entry);
        if (isThere()) resolve();
      };
      if (isThere()) resolve();
    });
  }

  /** What has come without a request of this engine. */
  take(): Cell {
    return new Cell(this.#recorder.entries.splice(0));
  }

  async #ask(request: object): Promise<Cell> {
    this.#counter += 1;
    const token = `token ${this.#counter}`;
    const ended = new Promise<void>((resolve) => {
      this.#recorder.onEntry = (entry) => {
        if (entry.kind === 'event' && ENDS.includes(entry.event.type)) resolve();
      };
    });
    this.channel.run(JSON.stringify({ ...request, token }));
    await Promise.race([ended, this.channel.ended]);
    const cell = new Cell(this.#recorder.entries.splice(0));
    for (const event of cell.events) expect(event.token).toBe(token);
    return cell;
  }
}

/** A program, by its channel. */
export class Program {
  readonly channel: Channel;
  readonly #recorder = new Recorder();

  constructor(
    sandbox: Sandbox,
    argv: string[],
    rest: { cwd?: string; env?: Record<string, string>; stdoutBytes?: number } = {},
  ) {
    this.channel = sandbox.start({ kind: 'exec', argv, cwd: '/workspace', env: {}, ...rest }, this.#recorder.listener);
  }

  get output(): Cell {
    return new Cell(this.#recorder.entries);
  }

  /** Resolves when stdout holds the text. */
  sent(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => this.output.stdout.includes(text) && resolve();
      this.#recorder.onEntry = look;
      look();
    });
  }
}

/** The exit of a channel's process; null when it was lost with its sandbox. */
export function exitOf(end: ChannelEnd) {
  return end.kind === 'exit' ? end.exit : null;
}

/** Attaches to a sandbox and takes it over. */
export async function resumeAttached(host: Host, id: string, secret: string): Promise<ResumedSandbox> {
  const container = await host.attach(id, {});
  if (!container) throw new Error('there is no such container');
  return resumeSandbox(container, host.handshakeMs, secret, CAPS);
}
