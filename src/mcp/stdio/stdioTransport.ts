import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { deferred } from '../../base/deferred.ts';
import { escapedControls } from '../../base/json.ts';
import { type Steps, slices } from '../../base/slices.ts';
import { parseMessage } from '../parseMessage.ts';
import { type Line, LineSplitter } from './lineSplitter.ts';

// One call may carry megabytes of code, stdin and state, escaped as JSON.
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Characters of a message written in one step. */
const PIECE = 64 * 1024;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * MCP messages, one per line. A line that is not a message or is over 32 MiB is answered with an error and the
 * connection stays open; the SDK's own transport closes it after a long line and ignores an invalid one.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  readonly #closed = deferred<void>();
  #lastWrite = Promise.resolve();
  #isClosed = false;
  /** Lines that wait for later turns of the event loop keep stdin paused. */
  #isReading = false;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  /** Resolves when the transport is closed, by its owner or by the end of a stream. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async start(): Promise<void> {
    const close = () => void this.close();
    for (const event of ['end', 'close', 'error']) this.#stdin.on(event, close);
    for (const event of ['close', 'error']) this.#stdout.on(event, close);
    this.#stdin.on('data', this.#take);
  }

  /** Resolves when the message is flushed, or never can be. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stdin.off('data', this.#take);
    this.#stdin.pause();
    this.onclose?.();
    this.#closed.resolve();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#isReading = true;
    void slices.run(this.#readLines(chunk));
    // Later chunks, and the end of the stream, wait in the paused stream.
    if (this.#isReading) this.#stdin.pause();
  };

  *#readLines(chunk: Buffer): Steps {
    try {
      for (const line of this.#lines.take(chunk)) {
        if (this.#isClosed) return;
        yield* this.#read(line);
        yield;
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    this.#isReading = false;
    if (!this.#isClosed && this.#stdin.isPaused()) this.#stdin.resume();
  }

  *#read(line: Line): Steps {
    if (line.kind === 'whole') {
      if (!isBlank(line.bytes)) yield* this.#readJson(line.bytes);
    } else this.#reject(line.id, INVALID_REQUEST, `The message is over ${MAX_MESSAGE_BYTES} bytes and was not read.`);
  }

  *#readJson(json: Buffer): Steps {
    const parsed = yield* parseMessage(json);
    if (this.#isClosed) return;
    if (parsed.kind === 'invalid') this.#reject(null, PARSE_ERROR, `The message cannot be read. ${parsed.reason}`);
    else this.#readValue(parsed.value);
  }

  #readValue(value: unknown): void {
    const message = messageOf(value);
    const id = idOf(value);
    if (message) this.onmessage?.(message);
    // An error of ours with that id would be taken for the answer to a request of the client.
    else if (id !== null && isResponse(value))
      this.onmessage?.(errorMessage(id, 'The response is not one of JSON-RPC 2.0.'));
    else this.#reject(id, INVALID_REQUEST, 'The message is not one of JSON-RPC 2.0.');
  }

  #reject(id: string | number | null, code: number, message: string): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Writes messages one after the other. */
  #write(message: object): Promise<void> {
    this.#lastWrite = this.#lastWrite.then(() => this.#writeLine(JSON.stringify(message)));
    return this.#lastWrite;
  }

  /** Resolves when the line is flushed. A short one is a single write: each wakes the client. */
  async #writeLine(json: string): Promise<void> {
    const last = json.length <= PIECE ? json : await slices.run(this.#writeStart(json));
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => this.#stdout.write(`${escapedControls(last)}\n`, () => resolve()));
  }

  /** Writes a text but for its last piece, which it returns. */
  *#writeStart(json: string): Steps<string> {
    let at = 0;
    for (let end = PIECE; end < json.length && !this.#isClosed; end = at + PIECE) {
      if (isHighSurrogate(json.charCodeAt(end - 1))) end += 1;
      this.#stdout.write(escapedControls(json.slice(at, end)));
      at = end;
      yield;
    }
    return json.slice(at);
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

// A long line cannot be blank in practice, and a check of all its bytes would take too long.
function isBlank(line: Buffer): boolean {
  return line.length < PIECE && line.toString('latin1').trim() === '';
}

function messageOf(value: unknown): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return null;
  }
}

function isResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !('method' in value) && ('result' in value || 'error' in value);
}

function errorMessage(id: string | number, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } };
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}
