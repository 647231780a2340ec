import { encodeFrame, type Frame, FrameType, HEADER_BYTES } from '../protocol/frames.ts';

/** Bytes after which the engine acknowledges what has arrived. The agent keeps twice as many, and then waits. */
const ACKNOWLEDGE_BYTES = 4 * 1024 * 1024;
/** A line may stay unacknowledged until so many bytes came since its begin. */
const MAX_LINE_HELD = 7 * 1024 * 1024;

/**
 * Counts the frames that an agent keeps for another engine, and acknowledges them: late, so that another engine gets the
 * whole output of most runs, and never in the middle of a line.
 */
export class Retention {
  readonly #engine: number;
  /** Where the oldest line that has begun and not ended begins; null where there is none. */
  readonly #lineStart: () => number | null;
  #acknowledged: number;
  #isHeld = false;
  #isSettled = false;
  /** Bytes that have arrived and were handled. */
  received: number;

  /** `engine` and `received` as of `KeptSession`. */
  constructor(engine: number, received: number, lineStart: () => number | null) {
    this.#engine = engine;
    this.received = received;
    this.#acknowledged = received;
    this.#lineStart = lineStart;
  }

  /** Counts a frame that was handled. */
  count({ payload }: Frame): void {
    this.received += HEADER_BYTES + payload.length;
  }

  /** Whether so much came that the agent should soon forget some of it. */
  get isDue(): boolean {
    return !this.#isHeld && this.received - this.#acknowledged >= ACKNOWLEDGE_BYTES;
  }

  /** Acknowledges nothing until `settle`: what came last was not passed on yet. */
  hold(): void {
    this.#isHeld = true;
  }

  /** All that came was passed on. */
  settle(): void {
    this.#isHeld = false;
    this.#isSettled = true;
  }

  /** The frame that is to be sent now, if there is one. */
  take(): Buffer | null {
    if (!this.#isSettled && !this.isDue) return null;
    this.#isSettled = false;
    const line = this.#lineStart();
    const count = line !== null && this.received - line < MAX_LINE_HELD ? line : this.received;
    if (count <= this.#acknowledged) return null;
    this.#acknowledged = count;
    return encodeFrame(FrameType.acknowledge, this.#engine, encodeCount(count));
  }

  /** The frame that makes the agent continue where the last acknowledgement was. */
  get resumption(): Buffer {
    return encodeFrame(FrameType.resume, this.#engine, encodeCount(this.#acknowledged));
  }
}

function encodeCount(count: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(count));
  return bytes;
}
