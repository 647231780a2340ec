import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { type Deferred, deferred } from '../base/deferred.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Steps } from '../base/slices.ts';
import type { Container, OtherLimits } from '../host/host.ts';
import { encodeFrame, type Frame, FrameType } from '../protocol/frames.ts';
import {
  Exit,
  type KeptChannel,
  Measurement,
  type Ready,
  Reply,
  ResetReport,
  type Retain,
  type SignalName,
  type Start,
} from '../protocol/messages.ts';
import { LiveChannel } from './channel.ts';
import type { AgentConnection } from './connection.ts';
import { Heartbeat } from './heartbeat.ts';
import { Retention } from './retention.ts';
import type { Channel, ChannelListener, RequestBody, Sandbox, SandboxLoss, SandboxRetention } from './sandbox.ts';

/** How long the agent has for a reset that it does unasked; then it is asked for it. Milliseconds. */
const UNASKED_MS = 10;
/**
 * After this long without the host's confirmation that a sandbox is gone, callers that wait for its end get an answer.
 */
const STOP_MS = 5_000;
const STOPPED = 'it was stopped';
/** Frames that nothing waits for leave with the next one, or after this. Milliseconds. */
const SOON_MS = 10;

/** A sandbox whose agent has answered. */
export class LiveSandbox implements Sandbox {
  readonly id: string;
  readonly ready: Ready;
  readonly lost: Promise<SandboxLoss>;
  readonly #container: Container;
  readonly #connection: AgentConnection;
  readonly #clock: Clock;
  readonly #channels = new Map<number, LiveChannel>();
  readonly #requests = new Map<number, Deferred<unknown>>();
  readonly #heartbeat: Heartbeat;
  /** The answer to a reset that is under way, and the number of that reset. */
  #report: { readonly number: number; readonly answer: Deferred<ResetReport> } | undefined;
  /** The channel whose end makes the agent reset unasked, and the report of that when it has come. */
  #once: { readonly number: number; report?: ResetReport } | undefined;
  #loss: SandboxLoss | undefined;
  #counter = 0;
  /** The flush of what may wait for the next frame. */
  #soon: Disposable | undefined;

  constructor(container: Container, connection: AgentConnection, ready: Ready, clock: Clock, heartbeatMs: number) {
    this.id = container.id;
    this.ready = ready;
    this.#container = container;
    this.#connection = connection;
    this.#clock = clock;
    this.lost = connection.lost;
    connection.onFrame = (frame) => this.#dispatch(frame);
    const { session } = ready;
    if (session) {
      this.#counter = session.lastNumber;
      connection.retention = new Retention(session.engine, session.acknowledged, () => this.#lineStart());
    }
    this.#heartbeat = new Heartbeat({
      clock,
      everyMs: heartbeatMs,
      ask: () => this.request({ op: 'measure' }),
      isRunning: () => container.isRunning(),
      onGone: (reason) => connection.fail(reason),
    });
    void this.lost.then((loss) => this.#onLost(loss));
  }

  get decisions() {
    return this.#container.decisions;
  }

  start(start: Start, listener: ChannelListener): Channel {
    this.#counter += 1;
    const channel = this.#channel(this.#counter, listener);
    if (this.#loss) {
      channel.lose(this.#loss);
      return channel;
    }
    const isOnce = start.kind === 'interpreter' && start.once === true && this.#channels.size === 0;
    this.#once = isOnce ? { number: channel.number } : undefined;
    this.#channels.set(channel.number, channel);
    this.#connection.send(encodeFrame(FrameType.start, channel.number, JSON.stringify(start)));
    return channel;
  }

  /** Continues with a process that another engine has started. */
  adopt(kept: KeptChannel, listener: ChannelListener): Channel {
    const channel = this.#channel(kept.number, listener, kept);
    this.#channels.set(channel.number, channel);
    if (this.#loss) channel.lose(this.#loss);
    return channel;
  }

  /** Lets the stream of the agent continue, and kills the other processes of its earlier engine. */
  resume(others: readonly KeptChannel[]): void {
    for (const { number } of others) void this.#signal(number, 'SIGKILL');
    const resumption = this.#connection.retention?.resumption;
    if (resumption) this.#connection.send(resumption);
  }

  async reset(deadlineMs: number): Promise<ResetReport> {
    const ended = [...this.#channels.values()];
    this.#channels.clear();
    this.#rejectRequests('the sandbox was reset');
    const loss = { outOfMemory: false, reason: 'the sandbox was reset' };
    for (const channel of ended) channel.lose(loss);
    const once = this.#once;
    this.#once = undefined;
    return once?.report && !this.#loss ? once.report : this.#awaitReport(once?.number, deadlineMs);
  }

  /** The report of a reset that the agent does unasked after the end of channel `own`, or is asked for now. */
  async #awaitReport(own: number | undefined, deadlineMs: number): Promise<ResetReport> {
    if (own === undefined) this.#counter += 1;
    const number = own ?? this.#counter;
    const answer = deferred<ResetReport>();
    const ask = () => this.#connection.send(encodeFrame(FrameType.reset, number));
    const asking = own === undefined ? undefined : this.#clock.schedule(UNASKED_MS, ask);
    const late = this.#clock.schedule(deadlineMs, () => this.#connection.fail(`its reset took over ${deadlineMs} ms`));
    try {
      this.#report = { number, answer };
      if (this.#loss) answer.reject(new Error(this.#loss.reason));
      if (!asking) ask();
      return await answer.promise;
    } finally {
      asking?.dispose();
      late.dispose();
    }
  }

  async measure(): Promise<Measurement> {
    return Measurement.parse(await this.request({ op: 'measure' }));
  }

  request(request: RequestBody): Promise<unknown> {
    if (this.#loss) return Promise.reject(new Error(this.#loss.reason));
    this.#counter += 1;
    const answer = deferred<unknown>();
    this.#requests.set(this.#counter, answer);
    this.#connection.send(encodeFrame(FrameType.request, 0, JSON.stringify({ id: this.#counter, ...request })));
    return answer.promise;
  }

  readonly retention: SandboxRetention = {
    start: (retain) => this.#retain(retain),
    spare: (owner, seconds) => this.#container.spare(owner, seconds),
    hold: () => this.#connection.retention?.hold(),
    settle: () => {
      this.#connection.retention?.settle();
      this.#flushSoon();
    },
    flush: () => this.#connection.flush(),
    detach: () => this.#connection.leave('it was left to another window or process'),
  };

  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void> {
    return this.#container.putArchive(path, archive, signal);
  }

  getArchive(path: string, signal?: AbortSignal): Promise<Readable> {
    return this.#container.getArchive(path, signal);
  }

  async limit(limits: OtherLimits): Promise<boolean> {
    return (await this.#container.limit?.(limits)) ?? false;
  }

  async dispose(): Promise<void> {
    if (this.#loss?.isElsewhere) return this.#container.detach();
    // Its end is reported when it has happened, not when it was requested.
    this.#connection.expectEnd(STOPPED);
    const late = this.#clock.schedule(STOP_MS, () => this.#unconfirmed());
    try {
      await this.#container.remove();
      this.#connection.fail(STOPPED);
    } catch (error) {
      this.#unconfirmed();
      throw error;
    } finally {
      late.dispose();
    }
  }

  #unconfirmed(): void {
    this.#connection.fail('it did not stop when it was killed; it is removed as soon as the host can', {
      mayStillRun: true,
    });
  }

  async #signal(channel: number, signal: SignalName): Promise<void> {
    // Refused only by a sandbox that is gone or reset, and then there is no process left to signal.
    await this.request({ op: 'signal', channel, signal }).catch(() => {});
  }

  async #retain(retain: Retain): Promise<void> {
    const retaining = deferred<void>();
    this.#connection.onRetaining = () => {
      retaining.resolve();
      return new Retention(0, 0, () => this.#lineStart());
    };
    this.#connection.send(encodeFrame(FrameType.retain, 0, JSON.stringify(retain)));
    const lost = this.lost.then(({ reason }) => Promise.reject(new Error(reason)));
    await Promise.race([retaining.promise, lost]);
  }

  #channel(number: number, listener: ChannelListener, kept?: KeptChannel): LiveChannel {
    const ports = {
      send: (bytes: Buffer) => this.#connection.send(bytes),
      sendSoon: (bytes: Buffer) => {
        this.#connection.sendSoon(bytes);
        this.#flushSoon();
      },
      signal: (signal: SignalName) => this.#signal(number, signal),
      copy: (copied: ChannelListener) => this.start({ kind: 'copy', of: number }, copied),
      lines: this.#connection.lineLimits,
    };
    return new LiveChannel(number, listener, ports, kept);
  }

  #flushSoon(): void {
    this.#soon ??= this.#clock.schedule(SOON_MS, () => {
      this.#soon = undefined;
      this.#connection.flush();
    });
  }

  #lineStart(): number | null {
    const starts = [...this.#channels.values()].flatMap(({ lineStart }) => lineStart ?? []);
    return starts.length === 0 ? null : Math.min(...starts);
  }

  *#dispatch(frame: Frame): Steps {
    this.#heartbeat.heard();
    const { retention } = this.#connection;
    if (retention?.isDue) this.#flushSoon();
    if (frame.type === FrameType.reply) {
      this.#answer(frame.payload);
      return;
    }
    if (frame.type === FrameType.report) {
      this.#onReport(frame.channel, ResetReport.parse(JSON.parse(frame.payload.toString('utf8'))));
      return;
    }
    const channel = this.#channels.get(frame.channel);
    // Frames of an ended channel are late, not invalid.
    if (!channel) return;
    if (frame.type === FrameType.exit) {
      // Read before the channel is forgotten: one that cannot be read ends the sandbox, and with it the channel.
      const exit = Exit.parse(JSON.parse(frame.payload.toString('utf8')));
      this.#channels.delete(frame.channel);
      channel.exit(exit);
    } else yield* channel.receive(frame, retention?.received ?? 0);
  }

  /** Each report counts for the reset of its number alone. */
  #onReport(number: number, report: ResetReport): void {
    if (number === this.#report?.number) this.#report.answer.resolve(report);
    else if (number === this.#once?.number) this.#once.report = report;
  }

  #answer(payload: Buffer): void {
    const reply = Reply.parse(JSON.parse(payload.toString('utf8')));
    const answer = this.#requests.get(reply.id);
    this.#requests.delete(reply.id);
    if (reply.error === null) answer?.resolve(reply.value);
    else answer?.reject(new Error(reply.error));
  }

  #rejectRequests(reason: string): void {
    for (const answer of this.#requests.values()) answer.reject(new Error(reason));
    this.#requests.clear();
  }

  #onLost(loss: SandboxLoss): void {
    this.#loss = loss;
    this.#heartbeat.dispose();
    this.#soon?.dispose();
    for (const channel of this.#channels.values()) channel.lose(loss);
    this.#channels.clear();
    this.#rejectRequests(loss.reason);
    this.#report?.answer.reject(new Error(loss.reason));
  }
}
