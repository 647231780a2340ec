import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { deferred } from '../../base/deferred.ts';
import { escapedJson } from '../../base/json.ts';
import { parseMessage } from '../parseMessage.ts';
import { type Line, Lines } from './lines.ts';

// One call may carry megabytes of code, stdin and state, escaped as JSON.
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * MCP's messages as lines. A line that is no message, or is larger than 32 MiB, is answered with an error, and the
 * connection goes on: the SDK's own transport ends it for the one and says nothing of the other.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #lines = new Lines(MAX_MESSAGE_BYTES);
  readonly #closed = deferred<void>();
  #isClosed = false;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  /** Resolves when it has been closed, by its owner or because a stream has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async start(): Promise<void> {
    const close = () => void this.close();
    for (const event of ['end', 'close', 'error']) this.#stdin.on(event, close);
    for (const event of ['close', 'error']) this.#stdout.on(event, close);
    this.#stdin.on('data', this.#take);
  }

  /** Resolves when the message has left, or never can. */
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
    for (const line of this.#lines.take(chunk)) if (!this.#isClosed) this.#read(line);
  };

  #read(line: Line): void {
    if (line.kind === 'whole') {
      if (line.text.trim() !== '') this.#readText(line.text);
    } else this.#refuse(line.id, INVALID_REQUEST, `The message is over ${MAX_MESSAGE_BYTES} bytes and was not read.`);
  }

  #readText(text: string): void {
    const parsed = parseMessage(text);
    if (parsed.kind === 'invalid') this.#refuse(null, PARSE_ERROR, `The message cannot be read. ${parsed.reason}`);
    else this.#readValue(parsed.value);
  }

  #readValue(value: unknown): void {
    const message = messageOf(value);
    if (message) this.onmessage?.(message);
    else this.#refuse(idOf(value), INVALID_REQUEST, 'The message is not one of JSON-RPC 2.0.');
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => this.#stdout.write(`${escapedJson(message)}\n`, () => resolve()));
  }
}

function messageOf(value: unknown): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return null;
  }
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}
