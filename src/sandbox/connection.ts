import { randomBytes } from 'node:crypto';
import { type Deferred, deferred } from '../base/deferred.ts';
import { messageOf, plainText } from '../base/log.ts';
import { type Steps, slices } from '../base/slices.ts';
import type { Container } from '../host/host.ts';
import {
  encodeFrame,
  type Frame,
  FrameDecoder,
  FrameType,
  MAX_RESUMED_BYTES,
  NONCE_BYTES,
  padding,
} from '../protocol/frames.ts';
import { type Hello, PROTOCOL_VERSION, Ready } from '../protocol/messages.ts';
import type { LineLimits } from './eventLines.ts';
import type { Retention } from './retention.ts';
import type { SandboxLoss } from './sandbox.ts';

/** What the agent says when it ends a sandbox for what its code took. */
const OVER_LIMIT = /^the agent leaves: (its code has .*)$/m;
/** Characters kept of what Python, the runtime or the agent says on the container's stderr. */
const MAX_DIAGNOSTICS = 2_000;

/** What an agent is opened with, beside version and nonce. */
export type SessionLimits = Omit<Hello, 'version' | 'nonce'>;

/**
 * The engine's end of the stream to one agent: handshakes, frames in both directions, and the end. Whatever the other
 * side sends, it ends in frames or in `lost`.
 */
export class AgentConnection {
  readonly #container: Container;
  readonly #limits: SessionLimits;
  readonly #decoder = new FrameDecoder();
  readonly #lost = deferred<SandboxLoss>();
  #handshake: Deferred<Ready> | undefined;
  #isLost = false;
  /** Why the container's end is expected. */
  #expected: string | undefined;
  /** Frames are being handled; those that wait for later turns of the event loop keep the stream paused. */
  #isBusy = false;
  /** Why nothing more comes; reported once all that came before was handled. */
  #end: SandboxLoss | undefined;
  readonly #unsent: Buffer[] = [];
  /** Leaves with the next frame. */
  readonly #unhurried: Buffer[] = [];
  #diagnostics = '';

  /** Handles each frame but `ready`, in steps; the next frame waits. */
  onFrame: (frame: Frame) => Steps = function* () {};
  /** Called when the agent begins to keep its frames; counts them from then on. */
  onRetaining: () => Retention | undefined = () => undefined;
  retention: Retention | undefined;
  /** Resolves once when nothing will be heard any more. */
  readonly lost: Promise<SandboxLoss> = this.#lost.promise;

  constructor(container: Container, limits: SessionLimits) {
    this.#container = container;
    this.#limits = limits;
    container.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    // Broken pipes show in `ended`.
    container.stdin.on('error', () => {});
    container.stdout.on('error', () => {});
    container.stderr.on('error', () => {});
    container.stderr.on('data', (chunk: Buffer) => {
      this.#diagnostics = (this.#diagnostics + chunk.toString('utf8')).slice(-MAX_DIAGNOSTICS);
    });
    void container.ended.then(({ oomKilled, reason }) => this.#onEnded(this.#lossOf(oomKilled, reason)));
  }

  /**
   * The first exchange of frames; with a secret it takes a session over from another engine, which may have ended within a
   * frame. Rejects when the connection is lost first.
   */
  handshake(secret: string | null = null): Promise<Ready> {
    const nonce = randomBytes(NONCE_BYTES);
    if (secret === null) this.#decoder.expect(nonce);
    else {
      this.#decoder.expect(nonce, MAX_RESUMED_BYTES);
      this.send(padding());
    }
    const handshake = deferred<Ready>();
    this.#handshake = handshake;
    if (this.#isLost) handshake.reject(new Error('its sandbox is gone'));
    const hello: Hello = { version: PROTOCOL_VERSION, nonce: nonce.toString('hex'), secret, ...this.#limits };
    this.send(encodeFrame(FrameType.hello, 0, JSON.stringify(hello)));
    return handshake.promise;
  }

  /** What the events of one run may have; twice what the agent's driver allows itself, so that an honest run never gets there. */
  get lineLimits(): LineLimits {
    return { bytes: 2 * this.#limits.eventBytes, lines: 2 * this.#limits.events };
  }

  /** What is sent in one turn leaves in one write: each wakes several processes on its way to the agent. */
  send(bytes: Buffer): void {
    if (this.#unsent.push(bytes) === 1) queueMicrotask(() => this.#flush());
  }

  /** Sends with the next frames, before them, or when `flush` is called. */
  sendSoon(bytes: Buffer): void {
    this.#unhurried.push(bytes);
  }

  /** Sends what waits, and what is to be acknowledged. */
  flush(): void {
    if (this.#unsent.length === 0) this.#flush();
  }

  /** Sends everything and gives the connection up; the agent lives on. Resolves when it is sent. */
  async leave(reason: string): Promise<void> {
    this.#flush();
    this.#lose({ outOfMemory: false, reason, isElsewhere: true });
    await this.#container.detach();
  }

  #flush(): void {
    const frames = [...this.#unhurried.splice(0), ...this.#unsent.splice(0)];
    // Last, so that what is noted for another engine arrives before.
    const acknowledgement = this.retention?.take();
    if (acknowledgement) frames.push(acknowledgement);
    if (frames.length > 0 && !this.#isLost) this.#container.stdin.write(Buffer.concat(frames));
  }

  /** Gives the connection up. */
  fail(reason: string, more: Pick<SandboxLoss, 'mayStillRun'> = {}): void {
    this.#lose({ outOfMemory: false, reason: this.#handshake ? this.#explained(reason) : reason, ...more });
  }

  /** From now on the container's end counts as asked for. */
  expectEnd(reason: string): void {
    this.#expected = reason;
  }

  #receive(chunk: Buffer): void {
    if (this.#isLost) return;
    this.#decoder.feed(chunk);
    if (this.#isBusy) return;
    this.#isBusy = true;
    void slices.run(this.#work());
    if (this.#isBusy) this.#container.stdout.pause();
  }

  /** In steps: no flood keeps the event loop for long, whatever a frame costs. */
  *#work(): Steps {
    try {
      for (let frame = this.#decoder.next(); frame && !this.#isLost; frame = this.#decoder.next()) {
        yield* this.#dispatch(frame);
        this.retention?.count(frame);
        yield;
      }
    } catch (error) {
      this.fail(`its agent broke the protocol: ${messageOf(error)}`);
    }
    this.#isBusy = false;
    if (this.#container.stdout.isPaused()) this.#container.stdout.resume();
    if (this.#end) this.#onEnded(this.#end);
  }

  /** Whatever the container said before its end was received by then, but is perhaps not handled yet. */
  #onEnded(loss: SandboxLoss): void {
    this.#end = loss;
    if (this.#isBusy) return;
    if (this.#container.stdout.readableLength === 0 || this.#isLost) this.#lose(loss);
    // A stream that was paused gives what it has in later turns.
    else setImmediate(() => this.#onEnded(loss));
  }

  *#dispatch(frame: Frame): Steps {
    if (frame.type === FrameType.ready) {
      const ready = Ready.parse(JSON.parse(frame.payload.toString('utf8')));
      this.#handshake?.resolve(ready);
      this.#handshake = undefined;
    } else if (frame.type === FrameType.retaining) this.retention ??= this.onRetaining();
    else if (frame.type === FrameType.taken)
      this.#lose({ outOfMemory: false, reason: 'another window or process has taken it over', isElsewhere: true });
    else if (frame.type !== FrameType.denied) yield* this.onFrame(frame);
    // An agent that has another engine answers so; to that engine it says nothing.
    else if (this.#handshake) this.fail('its secret is another one');
  }

  #lossOf(outOfMemory: boolean, reason: string): SandboxLoss {
    if (this.#expected !== undefined) return { outOfMemory, reason: this.#expected };
    const [, excess] = OVER_LIMIT.exec(plainText(this.#diagnostics)) ?? [];
    return excess
      ? { outOfMemory, reason: excess, isOverLimit: true }
      : { outOfMemory, reason: this.#explained(reason) };
  }

  /** A reason with the last words of what ended. */
  #explained(reason: string): string {
    const last = plainText(this.#diagnostics).trim().split('\n').at(-1);
    return last ? `${reason} (${last})` : reason;
  }

  #lose(loss: SandboxLoss): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost.resolve(loss);
    this.#handshake?.reject(new Error(loss.reason));
  }
}
