import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LineSplitter } from '../stdio/lineSplitter.ts';
import { MAX_MESSAGE_BYTES } from '../stdio/stdioTransport.ts';
import { TopLevelId } from '../stdio/topLevelId.ts';

/** Lines up to this length are parsed; of longer ones, which are calls and their results, only the id is read. */
const SHORT_BYTES = 64 * 1024;
const SERVER_GONE = -32_000;

/** What answers the messages of a client, one per line; it has gone when the stream ends. */
export interface Backend {
  readonly stream: Duplex;
  /** Of a call that was in progress when it has gone: what happened, and the next step. */
  readonly lossMessage: string;
  /** Resolves when all of it has ended. */
  close(): Promise<void>;
}

interface Message {
  readonly id: string | number | null;
  /** Null for a response. */
  readonly method: string | null;
}

/**
 * Connects one client on stdin and stdout to a backend, until stdin ends or `signal` aborts. When the backend goes away,
 * each call in progress is answered with an error, and the next message goes to another one. A client of a revision up
 * to 2025-11-25 stays initialized: the bridge repeats its handshake there.
 */
export async function bridge(
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
  connect: () => Promise<Backend>,
  first: Backend,
  signal: AbortSignal,
): Promise<void> {
  const client = new BridgedClient(stdout, connect, first);
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of linesOf(stdin)) await client.forward(line);
  } catch {
    // A broken stdin is the end of the client.
  }
  signal.removeEventListener('abort', stop);
  await client.close();
}

class BridgedClient {
  readonly #stdout: Writable;
  readonly #connect: () => Promise<Backend>;
  #backend: Backend | null = null;
  /** Requests of the client without a response. */
  readonly #pending = new Set<string | number>();
  /** The client's handshake, once it has been answered. */
  #initialize: Buffer | null = null;
  #isInitialized: Buffer | null = null;
  #initializing: string | number | null = null;
  /** The id of a repeated `initialize`, whose response the client has already. */
  #repeated: string | number | null = null;
  #onRepeated: (() => void) | null = null;
  #isClosed = false;

  constructor(stdout: Writable, connect: () => Promise<Backend>, first: Backend) {
    this.#stdout = stdout;
    this.#connect = connect;
    this.#use(first);
  }

  async forward(line: Buffer): Promise<void> {
    const message = await messageIn(line);
    const backend = this.#backend ?? (await this.#reconnect());
    if (message.method === 'initialize') {
      this.#initialize = line;
      this.#initializing = message.id;
    }
    if (message.method === 'notifications/initialized') this.#isInitialized = line;
    if (message.method !== null && message.id !== null) this.#pending.add(message.id);
    await write(backend.stream, line);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#backend?.close();
  }

  async #reconnect(): Promise<Backend> {
    const backend = await this.#connect();
    this.#use(backend);
    if (this.#initialize && this.#initializing !== null && this.#isInitialized) {
      this.#repeated = this.#initializing;
      const answered = new Promise<void>((resolve) => {
        this.#onRepeated = resolve;
      });
      await write(backend.stream, this.#initialize);
      await answered;
      await write(backend.stream, this.#isInitialized);
    }
    return backend;
  }

  #use(backend: Backend): void {
    this.#backend = backend;
    backend.stream.on('error', () => {});
    void this.#read(backend);
  }

  async #read(backend: Backend): Promise<void> {
    try {
      for await (const line of linesOf(backend.stream)) await this.#deliver(line);
    } catch {
      // The connection broke; what follows is the same as for its end.
    }
    if (this.#backend !== backend || this.#isClosed) return;
    this.#backend = null;
    this.#onRepeated?.();
    const error = { code: SERVER_GONE, message: backend.lossMessage };
    for (const id of this.#pending) {
      await write(this.#stdout, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error })));
    }
    this.#pending.clear();
    await backend.close();
  }

  async #deliver(line: Buffer): Promise<void> {
    const { id, method } = await messageIn(line);
    if (method === null && id !== null) {
      this.#pending.delete(id);
      if (id === this.#repeated) {
        this.#repeated = null;
        return this.#onRepeated?.();
      }
    }
    await write(this.#stdout, line);
  }
}

async function* linesOf(stream: Readable): AsyncGenerator<Buffer> {
  // A line over the limit of the server is its to reject: it gets the limit and one byte.
  const splitter = new LineSplitter(MAX_MESSAGE_BYTES + 1024);
  for await (const chunk of stream) {
    for (const line of splitter.take(chunk)) {
      if (line.kind === 'whole') yield line.bytes;
      else yield Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: line.id }));
    }
  }
}

/** Id and method of a message. */
async function messageIn(line: Buffer): Promise<Message> {
  if (line.length <= SHORT_BYTES) return fieldsOf(line);
  const found = new TopLevelId();
  for (let at = 0; at < line.length; at += SHORT_BYTES) {
    found.take(line.subarray(at, at + SHORT_BYTES));
    await nextTurn();
  }
  const start = line.subarray(0, 1_024).toString('latin1');
  return { id: found.id, method: /"(result|error)"\s*:/.test(start) ? null : 'tools/call' };
}

function fieldsOf(line: Buffer): Message {
  try {
    const { id, method } = JSON.parse(line.toString('utf8'));
    const isId = typeof id === 'string' || typeof id === 'number';
    return { id: isId ? id : null, method: typeof method === 'string' ? method : null };
  } catch {
    return { id: null, method: null };
  }
}

/** Resolves when there is room for more, or the stream has gone. */
async function write(stream: Writable, line: Buffer): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  if (!stream.write(Buffer.concat([line, NEWLINE]))) {
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {});
  }
}

const NEWLINE = Buffer.from('\n');
