import type { Clock } from '../../src/base/clock.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameType } from '../../src/protocol/frames.ts';
import {
  Hello,
  type KeptChannel,
  PROTOCOL_VERSION,
  Request,
  type ResetReport,
  Retain,
  Start,
  type Walls,
} from '../../src/protocol/messages.ts';
import { FakeFiles } from './fakeFiles.ts';
import { FakeFilesProcess } from './fakeFilesProcess.ts';
import { FakeChannel, type FakeProcess } from './fakeProcess.ts';
import { FakeProgram } from './fakeProgram.ts';
import { FakePython, type Script } from './fakePython.ts';
import { FakeRetention } from './fakeRetention.ts';

/** A step of an agent at which a fault can be injected. */
export type Point = 'hello' | 'start' | 'run' | 'reset' | 'report';

/** The faults of a fake agent; tests change them at any time. */
export interface AgentFaults {
  /** The container ends when the agent gets there. */
  diesAt: Point | null;
  /** The agent sends nothing more once it gets there. */
  silentAt: Point | null;
  /** Resets report leftovers. */
  uncleanReset: boolean;
  /** A report that resets send instead of the true one. */
  report: ((truth: ResetReport) => unknown) | null;
  /** What it reports of its walls. */
  walls: Walls;
  /** Sent before each handshake's nonce. */
  strayBytes: Buffer;
}

/** The surroundings of a fake agent. */
export interface AgentHome {
  readonly send: (bytes: Buffer) => void;
  readonly die: () => void;
  readonly script: Script;
  readonly clock: Clock;
  readonly faults: AgentFaults;
}

const LENGTH_DIGITS = 8;
/** A module of such a name cannot be imported. */
const MISSING_MODULE = /^no_such_/;

interface Running {
  readonly process: FakeProcess;
  readonly channel: FakeChannel;
  kept: KeptChannel;
}

/**
 * An agent that speaks the real protocol: takes its bundle, then frames. `test/contract/agent` holds it to the real
 * one.
 */
export class FakeAgent {
  readonly #home: AgentHome;
  readonly #decoder = new FrameDecoder();
  readonly #running = new Map<number, Running>();
  readonly #files = new FakeFiles();
  readonly #imported = new Set<string>();
  #bundle: Buffer | null = Buffer.alloc(0);
  #hello: Hello | undefined;
  #retention: FakeRetention | undefined;
  #lastNumber = 0;
  #resetNumber: number | undefined;
  #silent = false;
  /** A process waits for a run. */
  #hasSpare = false;
  /** Something has run since the last reset. */
  #isUsed = false;
  #hasPreloaded = false;
  #cpuMs = 0;
  #oomKills = 0;

  constructor(home: AgentHome) {
    this.#home = home;
  }

  /** Receives the bytes that the engine wrote to the container's stdin. */
  receive(chunk: Buffer): void {
    const bytes = this.#bundle ? this.#load(Buffer.concat([this.#bundle, chunk])) : chunk;
    for (const frame of this.#decoder.push(this.#withoutPadding(bytes))) if (!this.#silent) this.#takeOrDie(frame);
  }

  /** Ends every process and sends nothing more. */
  stop(): void {
    this.#silent = true;
    this.#silenceAll();
  }

  /** Between frames only: engines of the tests never end within a frame. */
  #withoutPadding(bytes: Buffer): Buffer {
    if (bytes[0] !== 0) return bytes;
    const first = bytes.findIndex((byte) => byte !== 0);
    return bytes.subarray(first === -1 ? bytes.length : first);
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

  #takeOrDie(frame: Frame): void {
    try {
      this.#take(frame);
    } catch {
      // An invalid frame, which the engine never sends.
      this.#home.die();
    }
  }

  #take(frame: Frame): void {
    const { type, channel, payload } = frame;
    this.#cpuMs += 1;
    if (type === FrameType.hello) this.#pass('hello', () => this.#greet(Hello.parse(parse(payload))));
    else if (type === FrameType.reset) this.#pass('reset', () => this.#resetUnlessDone(channel));
    else if (type === FrameType.start) this.#pass('start', () => this.#start(channel, Start.parse(parse(payload))));
    else if (type === FrameType.run) this.#pass('run', () => this.#run(channel, payload));
    else if (type === FrameType.input) this.#feed(channel, payload);
    else if (type === FrameType.closeInput) this.#running.get(channel)?.process.input?.(null);
    else if (type === FrameType.request) this.#answer(parse(payload));
    else if (type === FrameType.retain)
      this.#retention ??= new FakeRetention(this.#home.send, Retain.parse(parse(payload)));
    else if (type === FrameType.acknowledge) this.#retention?.acknowledge(channel, payload);
    else if (type === FrameType.resume) this.#retention?.resume(channel, payload);
    else if (type === FrameType.note) this.#keep(channel, { note: payload.toString('utf8') });
  }

  /** Performs a step, unless a fault is set for it. */
  #pass(point: Point, step: () => void): void {
    const { diesAt, silentAt } = this.#home.faults;
    if (diesAt === point) this.#home.die();
    else if (silentAt === point) this.stop();
    else step();
  }

  #greet(hello: Hello): void {
    const nonce = Buffer.from(hello.nonce, 'hex');
    const ready = { version: PROTOCOL_VERSION, interpreter: '3.13.0', walls: this.#home.faults.walls };
    if (!this.#hello) this.#shakeHands(hello, nonce, ready);
    else if (this.#retention?.allows(hello.secret ?? '')) {
      const living = [...this.#running.values()].map(({ kept }) => kept);
      this.#retention.greet(nonce, ready, living, this.#lastNumber);
    } else {
      this.#emit(encodeFrame(FrameType.denied, 0, Buffer.concat([nonce, encodeFrame(FrameType.denied, 0)])));
    }
  }

  #shakeHands(hello: Hello, nonce: Buffer, ready: object): void {
    this.#hello = hello;
    this.#home.send(Buffer.concat([this.#home.faults.strayBytes, nonce]));
    this.#send(FrameType.ready, 0, ready);
    this.#hasSpare = true;
  }

  #keep(number: number, change: Partial<KeptChannel>): void {
    const running = this.#running.get(number);
    if (running) running.kept = { ...running.kept, ...change };
  }

  #resetUnlessDone(number: number): void {
    if (number !== this.#resetNumber) this.#reset(number);
  }

  #reset(number: number): void {
    this.#resetNumber = number;
    if (this.#retention) throw new Error('the sandbox of a session is not used again');
    const left = this.#files.wipe();
    const leftovers = this.#home.faults.uncleanReset ? ['/tmp/left'] : [...left];
    const clean = leftovers.length === 0;
    const killed = this.#running.size + Number(this.#hasSpare);
    const truth = { clean, leftovers, killed, fds: 8, memoryBytes: 16 << 20, durationMs: 1 };
    this.#isUsed = false;
    this.#hasSpare = true;
    this.#silenceAll();
    const report = this.#home.faults.report ? this.#home.faults.report(truth) : truth;
    this.#pass('report', () => this.#send(FrameType.report, number, report));
  }

  #start(number: number, start: Start): void {
    if (!this.#hello) throw new Error('no handshake came before');
    this.#isUsed = true;
    if (start.kind === 'interpreter') this.#hasSpare = false;
    const { outputBytes } = this.#hello;
    const stdout = start.kind === 'files' ? Infinity : (start.kind === 'exec' && start.stdoutBytes) || outputBytes;
    const channel = new FakeChannel({
      number,
      caps: { stdout, stderr: outputBytes },
      send: (bytes) => this.#emit(bytes),
      die: this.#home.die,
      onExit: ({ oomKills }) => {
        const { kept } = this.#running.get(number) ?? {};
        if (kept) this.#retention?.noteExit(kept);
        this.#running.delete(number);
        this.#oomKills += oomKills;
        const isOnce = start.kind === 'interpreter' && start.once === true && !this.#retention;
        if (isOnce && this.#running.size === 0 && this.#files.isEmpty)
          queueMicrotask(() => this.#pass('reset', () => this.#resetUnlessDone(number)));
      },
    });
    const kept = { number, runs: 0, inputBytes: 0, note: null, runAt: 0 };
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#running.set(number, { process: this.#processOf(start, channel, this.#hello), channel, kept });
  }

  #processOf(start: Start, channel: FakeChannel, caps: Hello): FakeProcess {
    if (start.kind === 'exec') return new FakeProgram(start, this.#files, channel);
    if (start.kind === 'files') return new FakeFilesProcess(this.#files, channel);
    if (start.kind === 'copy') return this.#copyOf(start.of, channel);
    return new FakePython({ ...this.#home, files: this.#files, caps }, channel);
  }

  #copyOf(number: number, channel: FakeChannel): FakeProcess {
    const original = this.#running.get(number)?.process;
    if (original instanceof FakePython) return original.copyTo(channel);
    queueMicrotask(() => channel.exit({ code: null, signal: null, failure: 'it cannot be copied' }));
    return { signal: () => {} };
  }

  #run(number: number, payload: Buffer): void {
    const running = this.#running.get(number);
    if (!running) return;
    const { runs } = running.kept;
    this.#keep(number, { runs: runs + 1, inputBytes: payload.length, runAt: this.#retention?.written ?? 0 });
    running.channel.restart();
    running.process.run?.(payload);
  }

  #feed(number: number, payload: Buffer): void {
    const running = this.#running.get(number);
    if (!running) return;
    const { process, kept } = running;
    this.#keep(number, { inputBytes: kept.inputBytes + payload.length });
    process.input?.(payload);
    process.run?.(payload);
    this.#emit(encodeFrame(FrameType.room, number));
  }

  #answer(body: unknown): void {
    const { id, op } = body as { id: number; op: string };
    this.#lastNumber = Math.max(this.#lastNumber, id);
    if (!KNOWN_REQUESTS.includes(op)) this.#refuse(id, 'unknown request');
    else this.#answerKnown(Request.parse(body));
  }

  #answerKnown(request: Request): void {
    const { id, op } = request;
    if (op === 'measure') this.#reply(id, this.#measure());
    else if (op === 'preload') this.#preload(id, request.modules);
    else if (op === 'standby') this.#reply(id, true);
    else {
      this.#running.get(request.channel)?.process.signal(request.signal);
      this.#reply(id, null);
    }
  }

  #measure() {
    const processes = 1 + Number(this.#hasPreloaded) + Number(this.#hasSpare) + this.#running.size;
    return { memoryBytes: 16 << 20, processes, fds: 8, cpuMs: this.#cpuMs, oomKills: this.#oomKills };
  }

  #preload(id: number, modules: readonly string[]): void {
    const isDone = this.#hasPreloaded && modules.every((name) => this.#imported.has(name));
    if (this.#isUsed && !isDone) {
      this.#refuse(id, 'a run came first; ask again after a reset');
      return;
    }
    this.#hasPreloaded = true;
    for (const name of modules) this.#imported.add(name);
    const loaded = modules.filter((name) => !MISSING_MODULE.test(name));
    this.#reply(id, { loaded, failed: modules.filter((name) => !loaded.includes(name)) });
  }

  #reply(id: number, value: unknown): void {
    this.#send(FrameType.reply, 0, { id, error: null, value });
  }

  #refuse(id: number, error: string): void {
    this.#send(FrameType.reply, 0, { id, error, value: null });
  }

  #send(type: FrameType, channel: number, message: unknown): void {
    this.#emit(encodeFrame(type, channel, JSON.stringify(message)));
  }

  #emit(bytes: Buffer): void {
    if (this.#retention) this.#retention.send(bytes);
    else this.#home.send(bytes);
  }

  #silenceAll(): void {
    for (const { channel } of this.#running.values()) channel.silence();
    this.#running.clear();
  }
}

const KNOWN_REQUESTS: readonly string[] = Request.options.map(({ shape }) => shape.op.value);

function parse(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'));
}
