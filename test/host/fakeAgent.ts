import type { Clock } from '../../src/base/clock.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameType } from '../../src/protocol/frames.ts';
import {
  EVENT_PREFIX_BYTES,
  Hello,
  PROTOCOL_VERSION,
  Request,
  type ResetReport,
  Start,
} from '../../src/protocol/messages.ts';
import type { PythonEvent, PythonRequest } from '../../src/protocol/python.ts';
import { FakePython, type FakeSink, type Script } from './fakePython.ts';

/** A step of an agent's life at which something can go wrong. */
export type Point = 'hello' | 'start' | 'run' | 'reset';

/** What goes wrong in a fake agent; tests change it at any time. */
export interface AgentFaults {
  /** The container dies when the agent gets there. */
  diesAt: Point | null;
  /** The agent says nothing more once it gets there. */
  silentAt: Point | null;
  /** Resets report that something is left. */
  uncleanReset: boolean;
  /** What resets report in the place of the truth. */
  report: ((truth: ResetReport) => unknown) | null;
  /** Sent before each handshake's nonce. */
  strayBytes: Buffer;
}

/** Where a fake agent lives. */
export interface AgentHome {
  readonly send: (bytes: Buffer) => void;
  readonly die: () => void;
  readonly script: Script;
  readonly clock: Clock;
  readonly faults: AgentFaults;
}

const LENGTH_DIGITS = 8;

/** An agent that speaks the real protocol: takes its bundle, then frames. */
export class FakeAgent {
  readonly #home: AgentHome;
  readonly #decoder = new FrameDecoder();
  readonly #processes = new Map<number, FakePython>();
  #bundle: Buffer | null = Buffer.alloc(0);
  #report: unknown = null;
  #silent = false;

  constructor(home: AgentHome) {
    this.#home = home;
  }

  /** Takes what the engine wrote to the container's stdin. */
  receive(chunk: Buffer): void {
    const bytes = this.#bundle ? this.#load(Buffer.concat([this.#bundle, chunk])) : chunk;
    for (const frame of this.#decoder.push(bytes)) if (!this.#silent) this.#take(frame);
  }

  /** Ends every process without a word. */
  stop(): void {
    this.#silent = true;
    this.#silenceAll();
  }

  #load(bytes: Buffer): Buffer {
    const end = LENGTH_DIGITS + Number(bytes.toString('latin1', 0, LENGTH_DIGITS));
    if (bytes.length < LENGTH_DIGITS || bytes.length < end) {
      this.#bundle = bytes;
      return Buffer.alloc(0);
    }
    this.#bundle = null;
    return bytes.subarray(end);
  }

  #take(frame: Frame): void {
    const { type, channel, payload } = frame;
    if (type === FrameType.hello) this.#pass('hello', () => this.#greet(Hello.parse(parse(payload))));
    else if (type === FrameType.reset) this.#pass('reset', () => this.#reset());
    else if (type === FrameType.start) this.#pass('start', () => this.#start(channel, Start.parse(parse(payload))));
    else if (type === FrameType.run) this.#pass('run', () => this.#processes.get(channel)?.take(parseRequest(payload)));
    else if (type === FrameType.request) this.#reply(Request.parse(parse(payload)));
  }

  /** Does a step, unless a fault is set for it. */
  #pass(point: Point, step: () => void): void {
    const { diesAt, silentAt } = this.#home.faults;
    if (diesAt === point) this.#home.die();
    else if (silentAt === point) this.stop();
    else step();
  }

  #greet({ nonce }: Hello): void {
    this.#home.send(Buffer.concat([this.#home.faults.strayBytes, Buffer.from(nonce, 'hex')]));
    this.#say(FrameType.ready, 0, { version: PROTOCOL_VERSION, python: '3.13.0', reset: this.#report });
  }

  #reset(): void {
    const clean = !this.#home.faults.uncleanReset;
    const leftovers = clean ? [] : ['/tmp/left'];
    const killed = this.#processes.size;
    const truth = { clean, leftovers, killed, fds: 8, memoryBytes: 16 << 20, durationMs: 1 };
    this.#report = this.#home.faults.report ? this.#home.faults.report(truth) : truth;
    this.#silenceAll();
  }

  #start(channel: number, { kind }: Start): void {
    if (kind !== 'python') throw new Error(`a fake agent starts no ${kind}`);
    const { script, clock } = this.#home;
    this.#processes.set(channel, new FakePython(script, this.#sink(channel), clock));
  }

  #sink(channel: number): FakeSink {
    const { send, die } = this.#home;
    return {
      stdout: (bytes) => send(encodeFrame(FrameType.stdout, channel, bytes)),
      stderr: (bytes) => send(encodeFrame(FrameType.stderr, channel, bytes)),
      event: (event, stdoutBytes, stderrBytes) =>
        send(encodeFrame(FrameType.event, channel, eventPayload(event, stdoutBytes, stderrBytes))),
      exit: (exit) => {
        this.#processes.delete(channel);
        this.#say(FrameType.exit, channel, exit);
      },
      die,
    };
  }

  #reply(request: Request): void {
    this.#say(FrameType.reply, 0, { id: request.id, error: null, value: this.#answer(request) });
  }

  #answer(request: Request): unknown {
    if (request.op === 'measure') {
      return { memoryBytes: 16 << 20, processes: 2 + this.#processes.size, fds: 8, cpuMs: 1, oomKills: 0 };
    }
    if (request.op === 'preload') return { loaded: request.modules, failed: [] };
    if (request.op === 'put') return null;
    this.#processes.get(request.channel)?.signal(request.signal);
    return null;
  }

  #say(type: FrameType, channel: number, message: unknown): void {
    this.#home.send(encodeFrame(type, channel, JSON.stringify(message)));
  }

  #silenceAll(): void {
    for (const process of this.#processes.values()) process.silence();
    this.#processes.clear();
  }
}

function parse(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'));
}

// Python requests have no schema on the engine's side: the engine is the only one that writes them.
function parseRequest(payload: Buffer): PythonRequest {
  return JSON.parse(payload.toString('utf8'));
}

function eventPayload(event: PythonEvent, stdoutBytes: number, stderrBytes: number): Buffer {
  const counts = Buffer.alloc(EVENT_PREFIX_BYTES);
  counts.writeBigUInt64BE(BigInt(stdoutBytes), 0);
  counts.writeBigUInt64BE(BigInt(stderrBytes), EVENT_PREFIX_BYTES / 2);
  return Buffer.concat([counts, Buffer.from(JSON.stringify(event))]);
}
