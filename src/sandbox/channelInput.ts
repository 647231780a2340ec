import { type Deferred, deferred } from '../base/deferred.ts';
import { encodeFrame, FrameType, MAX_CHUNK_BYTES } from '../protocol/frames.ts';

/** Pieces and bytes under way that the agent has not confirmed: what it can keep while the process does not read. */
const MAX_PIECES = 16;
const MAX_BYTES = MAX_CHUNK_BYTES;

/** A piece of input; `sent` resolves when it is on its way. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly sent: Deferred<void> | null;
}

/** What one process is sent: in pieces, of which only so many are under way as the agent can keep. */
export class ChannelInput {
  readonly #channel: number;
  readonly #send: (bytes: Buffer) => void;
  readonly #waiting: Piece[] = [];
  /** Bytes of each piece that is under way, in order. */
  readonly #underWay: number[] = [];
  #bytesUnderWay = 0;
  #isClosing = false;
  #isOver = false;

  constructor(channel: number, send: (bytes: Buffer) => void) {
    this.#channel = channel;
    this.#send = send;
  }

  /** Sends a request. Its first piece needs no confirmation: the process reads it before it runs anything. */
  run(request: string): void {
    if (this.#isOver) return;
    const bytes = Buffer.from(`${request}\n`);
    this.#send(encodeFrame(FrameType.run, this.#channel, bytes.subarray(0, MAX_CHUNK_BYTES)));
    if (bytes.length > MAX_CHUNK_BYTES) void this.write(bytes.subarray(MAX_CHUNK_BYTES));
  }

  /** Resolves when the bytes are on their way and there is room for more, or the process has ended; never rejects. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver || bytes.length === 0) return;
    const sent = deferred<void>();
    for (let at = 0; at < bytes.length; at += MAX_CHUNK_BYTES) {
      const isLast = at + MAX_CHUNK_BYTES >= bytes.length;
      this.#waiting.push({ bytes: bytes.subarray(at, at + MAX_CHUNK_BYTES), sent: isLast ? sent : null });
    }
    this.#sendNext();
    await sent.promise;
  }

  /** Ends the input after everything that was written. */
  close(): void {
    this.#isClosing = true;
    this.#sendNext();
  }

  /** The agent has confirmed the oldest piece under way. */
  onRoom(): void {
    this.#bytesUnderWay -= this.#underWay.shift() ?? 0;
    this.#sendNext();
  }

  /** The process has ended. */
  end(): void {
    this.#isOver = true;
    for (const { sent } of this.#waiting.splice(0)) sent?.resolve();
  }

  #sendNext(): void {
    if (this.#isOver) return;
    for (let [next] = this.#waiting; next && this.#hasRoom(next.bytes.length); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#underWay.push(next.bytes.length);
      this.#bytesUnderWay += next.bytes.length;
      this.#send(encodeFrame(FrameType.input, this.#channel, next.bytes));
      next.sent?.resolve();
    }
    if (!this.#isClosing || this.#waiting.length > 0) return;
    this.#isClosing = false;
    this.#send(encodeFrame(FrameType.closeInput, this.#channel));
  }

  #hasRoom(bytes: number): boolean {
    if (this.#underWay.length === 0) return true;
    return this.#underWay.length < MAX_PIECES && this.#bytesUnderWay + bytes <= MAX_BYTES;
  }
}
