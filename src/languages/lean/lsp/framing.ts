import { ByteQueue } from '../../../protocol/byteQueue.ts';

/** The largest message either side accepts, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** The largest header of a message, in bytes, its empty line included. */
export const MAX_HEADER_BYTES = 4 * 1024;

const HEADER_END = Buffer.from('\r\n\r\n');

/** The server said something that the protocol does not allow; nothing it says later can be trusted. */
export class ProtocolError extends Error {}

/** One message as bytes, behind its `Content-Length` header. */
export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Turns the server's bytes into messages. Any split of the stream gives the same messages. */
export class MessageDecoder {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  /** Joined once for each message and never for a part of a body, so a large body costs no more than its size. */
  readonly #waiting = new ByteQueue();
  /** Bytes of the body under way, or null while its header is not complete. */
  #expected: number | null = null;

  /** The messages completed by `chunk`, as parsed JSON. Throws `ProtocolError`. */
  push(chunk: Buffer): unknown[] {
    this.#waiting.push(chunk);
    const messages: unknown[] = [];
    while (this.#readHeader() && this.#expected !== null && this.#waiting.length >= this.#expected) {
      messages.push(this.#parse(this.#waiting.take(this.#expected)));
      this.#expected = null;
    }
    return messages;
  }

  #readHeader(): boolean {
    if (this.#expected !== null) return true;
    const bytes = this.#waiting.all();
    const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END);
    if (end === -1) {
      if (bytes.length >= MAX_HEADER_BYTES) throw new ProtocolError(`no header ends within ${MAX_HEADER_BYTES} bytes`);
      return false;
    }
    this.#expected = lengthIn(this.#waiting.take(end + HEADER_END.length).toString('latin1'));
    return true;
  }

  #parse(body: Buffer): unknown {
    try {
      return JSON.parse(this.#utf8.decode(body));
    } catch {
      throw new ProtocolError(`a message of ${body.length} bytes is not JSON in UTF-8`);
    }
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
