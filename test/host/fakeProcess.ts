import { encodeFrame, FrameType, MAX_CHUNK_BYTES } from '../../src/protocol/frames.ts';
import type { InterpreterEvent } from '../../src/protocol/interpreter.ts';
import { EVENT_PREFIX_BYTES, type Exit, type SignalName } from '../../src/protocol/messages.ts';

/** A process of a fake sandbox. */
export interface FakeProcess {
  signal(name: SignalName): void;
  /** Takes a request or a piece of it; interpreters only. */
  run?(payload: Buffer): void;
  /** Takes bytes of stdin, or null for its end; programs only. */
  input?(bytes: Buffer | null): void;
}

/** Events that go through the pipe for answers. */
const ANSWERS: ReadonlySet<string> = new Set(['state', 'done', 'completions', 'copied', 'input']);

/** How a process ends; fields left out get their default. */
export type FakeExit = Pick<Exit, 'code' | 'signal'> & Partial<Pick<Exit, 'oomKills' | 'failure'>>;

/** Where a process sends its output and its end. Nothing is sent after `exit`. */
export interface FakeSink {
  stdout(bytes: Buffer): void;
  stderr(bytes: Buffer): void;
  event(event: InterpreterEvent): void;
  exit(exit: FakeExit): void;
  /** Ends the whole container. */
  die(): void;
}

/** Bytes of a stream that are passed on for one run; the rest is counted. */
class CappedStream {
  total = 0;
  constructor(readonly limit: number) {}

  /** The part of `bytes` to pass on. */
  take(bytes: Buffer): Buffer {
    const room = Math.max(0, this.limit - this.total);
    this.total += bytes.length;
    return bytes.subarray(0, room);
  }
}

/** The caps of a channel's streams, in bytes. */
export interface ChannelCaps {
  readonly stdout: number;
  readonly stderr: number;
}

/** What a channel of a fake agent works with. */
export interface ChannelHome {
  readonly number: number;
  readonly caps: ChannelCaps;
  readonly send: (bytes: Buffer) => void;
  readonly die: () => void;
  readonly onExit: (exit: Exit) => void;
}

/** The agent's part of one process: counts and caps its streams, and puts the counts on its events. */
export class FakeChannel implements FakeSink {
  readonly #home: ChannelHome;
  readonly #streams: { readonly stdout: CappedStream; readonly stderr: CappedStream };
  #isOpen = true;

  constructor(home: ChannelHome) {
    this.#home = home;
    const { stdout, stderr } = home.caps;
    this.#streams = { stdout: new CappedStream(stdout), stderr: new CappedStream(stderr) };
  }

  /** Starts the counts of a new run. */
  restart(): void {
    for (const stream of Object.values(this.#streams)) stream.total = 0;
  }

  /** Sends nothing from now on, as after a reset. */
  silence(): void {
    this.#isOpen = false;
  }

  stdout(bytes: Buffer): void {
    this.#write('stdout', bytes);
  }

  stderr(bytes: Buffer): void {
    this.#write('stderr', bytes);
  }

  event(event: InterpreterEvent): void {
    const { stdout, stderr } = this.#streams;
    const counts = Buffer.alloc(EVENT_PREFIX_BYTES);
    counts.writeBigUInt64BE(BigInt(stdout.total), 0);
    counts.writeBigUInt64BE(BigInt(stderr.total), EVENT_PREFIX_BYTES / 2);
    const type = ANSWERS.has(event.type) ? FrameType.answer : FrameType.event;
    const line = Buffer.from(`\n${JSON.stringify(event)}\n`);
    for (let at = 0; at < line.length; at += MAX_CHUNK_BYTES) {
      this.#send(type, Buffer.concat([counts, line.subarray(at, at + MAX_CHUNK_BYTES)]));
    }
  }

  exit(exit: FakeExit): void {
    if (!this.#isOpen) return;
    const { stdout, stderr } = this.#streams;
    const report: Exit = {
      peakMemoryBytes: 1 << 20,
      oomKills: 0,
      stdoutBytes: stdout.total,
      stderrBytes: stderr.total,
      failure: null,
      ...exit,
    };
    this.#home.onExit(report);
    this.#send(FrameType.exit, Buffer.from(JSON.stringify(report)));
    this.#isOpen = false;
  }

  die(): void {
    if (this.#isOpen) this.#home.die();
  }

  #write(name: 'stdout' | 'stderr', bytes: Buffer): void {
    const passed = this.#streams[name].take(bytes);
    for (let at = 0; at < passed.length; at += MAX_CHUNK_BYTES) {
      this.#send(FrameType[name], passed.subarray(at, at + MAX_CHUNK_BYTES));
    }
  }

  #send(type: FrameType, payload: Buffer): void {
    if (this.#isOpen) this.#home.send(encodeFrame(type, this.#home.number, payload));
  }
}
