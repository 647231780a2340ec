import { ByteQueue } from './byteQueue.ts';

/**
 * The framing between engine and agent. A frame is a 9-byte header (type u8, channel u32, payload length u32, big
 * endian) and its payload; a frame of the engine has one more byte, `FRAME_END`. Channel 0 is the agent itself; each
 * process has a channel of its own, and a number is never used twice between two resets.
 */

/** Bytes of a frame header. */
export const HEADER_BYTES = 9;
/** The largest payload either side accepts, in bytes. */
export const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;
/** The largest payload of a frame with bytes for or from a process: what a pipe holds. */
export const MAX_CHUNK_BYTES = 64 * 1024;
/** Ends each frame of the engine. The agent uses no part of a frame before it. */
export const FRAME_END = 1;
/** Bytes of the nonce that opens the agent's side of a handshake, sent raw before its first frame. */
export const NONCE_BYTES = 32;
/** Zeros that complete any frame of an engine that ended in the middle of it. The agent drops that frame. */
export function padding(): Buffer {
  return Buffer.alloc(HEADER_BYTES + MAX_PAYLOAD_BYTES + 1);
}
/** Stray bytes accepted before the nonce of a session that is resumed: twice what its agent keeps. */
export const MAX_RESUMED_BYTES = 16 * 1024 * 1024;
/** Stray bytes accepted before the nonce is seen; beyond it the handshake has failed. */
export const MAX_STRAY_BYTES = 64 * 1024;

/** What a frame is; the agent's numbers in `images/agent/hothouse_agent/frames.py` are the same. */
export const FrameType = {
  // engine → agent
  hello: 1,
  start: 2,
  run: 3,
  input: 4,
  closeInput: 5,
  /** Its channel is a new number, or that of a run whose end makes the agent reset; then nothing happens twice. */
  reset: 6,
  request: 7,
  /**
   * How many bytes of the agent's frames have arrived, since `retaining`, as u64: the agent need not keep them. Its channel
   * is the engine's number, as in `KeptSession`.
   */
  acknowledge: 8,
  /** What the agent keeps about a process for another engine; replaces what it kept before. */
  note: 9,
  /** Makes the sandbox one that another engine can resume. */
  retain: 10,
  /** Continues the stream after a `ready` with a session, from so many bytes on, as u64; its channel as of `acknowledge`. */
  resume: 11,
  // agent → engine
  ready: 65,
  stdout: 66,
  stderr: 67,
  event: 68,
  exit: 69,
  reply: 70,
  /** Lines that the engine waits for, in a pipe of their own, so that no flood of events keeps them from coming. */
  answer: 71,
  /** A process's pipe has all of the last `input` frame; the next may come. */
  room: 72,
  /** The report of a reset; its channel is the number that the reset has. */
  report: 73,
  /** From the next frame on, the agent keeps its frames until they are acknowledged. */
  retaining: 74,
  /** Another engine has resumed the session; nothing more comes. */
  taken: 75,
  /** The answer to a hello without the session's secret. Its payload is a whole answer, nonce and frame. */
  denied: 76,
} as const;
export type FrameType = (typeof FrameType)[keyof typeof FrameType];

export interface Frame {
  readonly type: number;
  readonly channel: number;
  readonly payload: Buffer;
}

/** Bytes after the payload of a frame. */
function endBytes(type: number): number {
  return type < FrameType.ready ? 1 : 0;
}

/** One frame as bytes. Throws `RangeError` when the payload is over `MAX_PAYLOAD_BYTES`. */
export function encodeFrame(type: FrameType, channel: number, payload: Uint8Array | string = ''): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (body.length > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame of ${body.length} bytes is over the limit`);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length + endBytes(type));
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(channel, 1);
  frame.writeUInt32BE(body.length, 5);
  frame.set(body, HEADER_BYTES);
  frame.fill(FRAME_END, HEADER_BYTES + body.length);
  return frame;
}

/** Thrown by `FrameDecoder` when the other side breaks the framing; the stream is useless afterwards. */
export class FramingError extends Error {}

/**
 * Turns bytes into frames. It skips bytes between `expect(nonce)` and the nonce, which belong to an
 * earlier run. Any split of the stream gives the same frames.
 */
export class FrameDecoder {
  readonly #waiting = new ByteQueue();
  #nonce: Buffer | undefined;
  #strayLeft = 0;

  /** Skips what comes until `nonce`, at most `stray` bytes, then decodes. */
  expect(nonce: Buffer, stray = MAX_STRAY_BYTES): void {
    this.#nonce = nonce;
    this.#strayLeft = stray;
  }

  /** Adds bytes of the stream; `next` gives the frames. */
  feed(chunk: Buffer): void {
    this.#waiting.push(chunk);
  }

  /** The next complete frame, or undefined when more bytes must come first. Throws `FramingError`. */
  next(): Frame | undefined {
    return this.#nonce && !this.#skipToNonce(this.#nonce) ? undefined : this.#take();
  }

  /** The frames completed by `chunk`. Throws `FramingError`. */
  push(chunk: Buffer): Frame[] {
    this.feed(chunk);
    const frames: Frame[] = [];
    for (let frame = this.next(); frame; frame = this.next()) frames.push(frame);
    return frames;
  }

  #skipToNonce(nonce: Buffer): boolean {
    const bytes = this.#waiting.all();
    const at = bytes.indexOf(nonce);
    const skipped = at === -1 ? Math.max(0, bytes.length - nonce.length + 1) : at;
    this.#strayLeft -= skipped;
    if (this.#strayLeft < 0) throw new FramingError('no handshake within the first bytes of the stream');
    this.#waiting.take(at === -1 ? skipped : at + nonce.length);
    if (at !== -1) this.#nonce = undefined;
    return at !== -1;
  }

  #take(): Frame | undefined {
    if (this.#waiting.length < HEADER_BYTES) return undefined;
    const header = this.#waiting.peek(HEADER_BYTES);
    const length = header.readUInt32BE(5);
    if (length > MAX_PAYLOAD_BYTES) throw new FramingError(`a frame claims ${length} bytes`);
    const size = HEADER_BYTES + length + endBytes(header.readUInt8(0));
    if (this.#waiting.length < size) return undefined;
    const bytes = this.#waiting.take(size);
    const payload = bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
    return { type: bytes.readUInt8(0), channel: bytes.readUInt32BE(1), payload };
  }
}
