import { createHash } from 'node:crypto';
import { encodeFrame, FrameType } from '../../src/protocol/frames.ts';
import type { KeptChannel, Retain } from '../../src/protocol/messages.ts';

/** The frames that a fake agent keeps for another engine: all of them, since it has room without end. */
export class FakeRetention {
  readonly #send: (bytes: Buffer) => void;
  readonly #secretHash: string;
  #stream = Buffer.alloc(0);
  #isWaiting = false;
  #acknowledged = 0;
  #engine = 0;
  readonly #ended: { readonly at: number; readonly kept: KeptChannel }[] = [];

  constructor(send: (bytes: Buffer) => void, { secretHash }: Retain) {
    this.#send = send;
    this.#secretHash = secretHash;
    this.send(encodeFrame(FrameType.retaining, 0));
  }

  get written(): number {
    return this.#stream.length;
  }

  send(frame: Buffer): void {
    this.#stream = Buffer.concat([this.#stream, frame]);
    if (!this.#isWaiting) this.#send(frame);
  }

  allows(secret: string): boolean {
    return createHash('sha256').update(secret).digest('hex') === this.#secretHash;
  }

  noteExit(kept: KeptChannel): void {
    this.#ended.push({ at: this.written, kept });
  }

  acknowledge(engine: number, payload: Buffer): void {
    if (engine === this.#engine) this.#acknowledged = Number(payload.readBigUInt64BE(0));
  }

  /** Sends another engine its greeting; `ready` is the rest of its answer. */
  greet(nonce: Buffer, ready: object, living: readonly KeptChannel[], lastNumber: number): void {
    this.#engine += 1;
    this.#isWaiting = true;
    const ended = this.#ended.filter(({ at }) => at > this.#acknowledged).map(({ kept }) => kept);
    const channels = [...living, ...ended];
    const session = { engine: this.#engine, acknowledged: this.#acknowledged, channels, lastNumber };
    const answer = encodeFrame(FrameType.ready, 0, JSON.stringify({ ...ready, session }));
    this.#send(Buffer.concat([encodeFrame(FrameType.taken, 0), nonce, answer]));
  }

  resume(engine: number, payload: Buffer): void {
    if (engine !== this.#engine) return;
    this.#isWaiting = false;
    this.#send(this.#stream.subarray(Number(payload.readBigUInt64BE(0))));
  }
}
