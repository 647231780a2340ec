import type { Steps } from '../../../base/slices.ts';
import { ByteQueue } from '../../../protocol/byteQueue.ts';
import { type ParsedJson, parseJson } from './messageJson.ts';

/** The largest message either side accepts, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** The largest header of a message, in bytes, including its empty line. */
export const MAX_HEADER_BYTES = 4 * 1024;

const HEADER_END = Buffer.from('\r\n\r\n');

/** The server violated the protocol, so none of its later messages can be trusted. */
export class ProtocolError extends Error {}

/** One message as bytes, after its `Content-Length` header. */
export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** One message that has arrived. */
export interface DecodedMessage extends ParsedJson {
  /** Its size on the wire, without its header. */
  readonly bytes: number;
}

/** Decodes the server's bytes into messages. Any split of the stream gives the same messages. */
export class MessageDecoder {
  readonly #waiting = new ByteQueue();
  /** The unfinished body, filled as its bytes arrive, so that a large one is never copied in one step; otherwise null. */
  #body: { readonly bytes: Buffer; filled: number } | null = null;

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#fill();
  }

  /** Decodes the next complete message in steps; null if there is none. Throws `ProtocolError`. */
  *next(): Steps<DecodedMessage | null> {
    this.#body ??= this.#readHeader();
    this.#fill();
    if (!this.#body || this.#body.filled < this.#body.bytes.length) return null;
    const { bytes } = this.#body;
    this.#body = null;
    try {
      return { ...(yield* parseJson(bytes)), bytes: bytes.length };
    } catch {
      throw new ProtocolError(`a message of ${bytes.length} bytes is not JSON in UTF-8`);
    }
  }

  #fill(): void {
    if (this.#body) this.#body.filled += this.#waiting.takeInto(this.#body.bytes, this.#body.filled);
  }

  /** An empty body of the length in the next header; null while the header is incomplete. */
  #readHeader(): { bytes: Buffer; filled: number } | null {
    const bytes = this.#waiting.peek(MAX_HEADER_BYTES);
    const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END);
    if (end === -1) {
      if (bytes.length >= MAX_HEADER_BYTES) throw new ProtocolError(`no header ends within ${MAX_HEADER_BYTES} bytes`);
      return null;
    }
    const length = lengthIn(this.#waiting.take(end + HEADER_END.length).toString('latin1'));
    return { bytes: Buffer.allocUnsafe(length), filled: 0 };
  }
}

function lengthIn(header: string): number {
  const lengths = header
    .trimEnd()
    .split('\r\n')
    .flatMap((line) => lengthOf(line) ?? []);
  const [length] = lengths;
  if (length === undefined || lengths.length > 1) throw new ProtocolError('a header without one Content-Length');
  if (length > MAX_MESSAGE_BYTES) throw new ProtocolError(`a message claims ${length} bytes`);
  return length;
}

/** The length that a header line gives, or null for another field. */
function lengthOf(line: string): number | null {
  const field = /^([A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
  if (!field) throw new ProtocolError(`not a header line: ${JSON.stringify(line.slice(0, 80))}`);
  const [, name = '', value = ''] = field;
  if (name.toLowerCase() !== 'content-length') return null;
  if (!/^\d{1,15}$/.test(value)) throw new ProtocolError(`not a length: ${JSON.stringify(value.slice(0, 80))}`);
  return Number(value);
}
