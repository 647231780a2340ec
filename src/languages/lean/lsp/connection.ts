import { z } from 'zod';
import { deferred } from '../../../base/deferred.ts';
import { messageOf } from '../../../base/log.ts';
import { type Steps, slices } from '../../../base/slices.ts';
import { type DecodedMessage, encodeMessage, MessageDecoder, ProtocolError } from './framing.ts';
import { parse } from './messages.ts';

/** The two pipes of a server's process. */
export interface Transport {
  write(bytes: Buffer): void;
  /** Set once by the connection; receives the server's stdout as it arrives. */
  onBytes: (bytes: Buffer) => void;
  /** Resolves once with a readable reason when the process ends. Never rejects. */
  readonly ended: Promise<string>;
  /** Kills the process and everything it started. */
  kill(): void;
}

export interface RpcResult {
  readonly kind: 'result';
  readonly value: unknown;
}

export interface RpcError {
  readonly kind: 'error';
  readonly code: number;
  readonly message: string;
}

/** The server is gone and answers nothing more. */
export interface RpcLoss {
  readonly kind: 'lost';
  readonly reason: string;
}

/** How a request ended. */
export type RpcAnswer = RpcResult | RpcError | RpcLoss;

/** The error codes of JSON-RPC, LSP and Lean that this client uses. */
export const ErrorCode = {
  methodNotFound: -32601,
  requestCancelled: -32800,
  contentModified: -32801,
  workerExited: -32901,
  workerCrashed: -32902,
} as const;

const Id = z.union([z.int(), z.string()]);
const Message = z.union([
  // A method without params is legal, and current servers use some.
  z.object({ method: z.string(), id: Id.optional(), params: z.unknown().optional() }),
  z.object({ id: Id.nullable(), error: z.object({ code: z.int(), message: z.string() }) }),
  z.object({ id: Id, result: z.unknown() }),
]);
type Message = z.infer<typeof Message>;

const CANCELLED: RpcError = { kind: 'error', code: ErrorCode.requestCancelled, message: 'The request was cancelled.' };
const REGISTRATIONS = new Set(['client/registerCapability', 'client/unregisterCapability']);

/** The size of a message on the wire. */
export type MessageSize = Pick<DecodedMessage, 'bytes' | 'cut'>;

/** A notification of the server. */
export interface Notification {
  readonly method: string;
  readonly params: unknown;
  readonly size: MessageSize;
}

/** Handles a notification in steps. May throw `ProtocolError` about it. */
export type OnNotification = (notification: Notification) => Steps;

/**
 * JSON-RPC with one server. A violation of the protocol kills the server, which then counts as lost.
 *
 * Reads, checks and handles each message in steps before the next, so a flood delays nothing else and no answer overtakes
 * the diagnostics before it. A library that queues whole messages by itself, as vscode-jsonrpc does, needs more code around
 * it to keep that than this class has.
 */
export class RpcConnection {
  readonly #transport: Transport;
  readonly #decoder = new MessageDecoder();
  readonly #onNotification: OnNotification;
  readonly #pending = new Map<number, (answer: RpcAnswer) => void>();
  readonly #lost = deferred<string>();
  #lostReason: string | undefined;
  #lastId = 0;
  #isReading = false;
  /** Why the process ended, while its earlier messages are still being read. */
  #endReason: string | undefined;
  /** Why the server is gone; resolves once, never rejects. */
  readonly lost: Promise<string> = this.#lost.promise;

  constructor(transport: Transport, onNotification: OnNotification) {
    this.#transport = transport;
    this.#onNotification = onNotification;
    transport.onBytes = (bytes) => this.#receive(bytes);
    void transport.ended.then((reason) => {
      this.#endReason = reason;
      if (!this.#isReading) this.#lose(reason);
    });
  }

  /** Whether the server is gone. */
  get isLost(): boolean {
    return this.#lostReason !== undefined;
  }

  /** Never rejects. When `signal` aborts, cancels the request at the server and returns `requestCancelled` at once. */
  request(method: string, params: object, signal?: AbortSignal): Promise<RpcAnswer> {
    if (this.#lostReason !== undefined) return Promise.resolve({ kind: 'lost', reason: this.#lostReason });
    if (signal?.aborted) return Promise.resolve(CANCELLED);
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = deferred<RpcAnswer>();
    const onAbort = () => this.#cancel(id);
    this.#pending.set(id, (answer) => {
      signal?.removeEventListener('abort', onAbort);
      answered.resolve(answer);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#send({ id, method, params });
    return answered.promise;
  }

  /** Sends a notification; does nothing once the server is lost. */
  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Runs the reader of a result. A malformed result kills the server. Never rejects. */
  async parsed<T>(read: Steps<T>): Promise<{ kind: 'parsed'; value: T } | RpcLoss> {
    try {
      return { kind: 'parsed', value: await slices.run(read) };
    } catch (error) {
      const reason = brokenProtocol(messageOf(error));
      this.fail(reason);
      return { kind: 'lost', reason };
    }
  }

  /** Kills the server, which counts as lost for `reason` from now on. */
  fail(reason: string): void {
    if (this.#lostReason !== undefined) return;
    this.#lose(reason);
    this.#transport.kill();
  }

  #send(message: object): void {
    if (this.#lostReason === undefined) this.#transport.write(encodeMessage({ jsonrpc: '2.0', ...message }));
  }

  #cancel(id: number): void {
    this.notify('$/cancelRequest', { id });
    this.#settle(id, CANCELLED);
  }

  #settle(id: number, answer: RpcAnswer): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(answer);
  }

  #receive(bytes: Buffer): void {
    if (this.isLost) return;
    this.#decoder.push(bytes);
    if (this.#isReading) return;
    this.#isReading = true;
    void slices.run(this.#read());
  }

  /** Reads what has arrived, and what arrives in the meantime. */
  *#read(): Steps {
    try {
      for (let next = yield* this.#decoder.next(); next; next = yield* this.#decoder.next()) {
        yield* this.#dispatch(parse(Message, next.value, 'message'), next);
        if (this.isLost) break;
        yield;
      }
    } catch (error) {
      this.fail(error instanceof ProtocolError ? brokenProtocol(error.message) : messageOf(error));
    }
    this.#isReading = false;
    if (this.#endReason !== undefined) this.#lose(this.#endReason);
  }

  *#dispatch(message: Message, size: MessageSize): Steps {
    if (!('method' in message)) this.#onAnswer(message);
    else if (message.id !== undefined) this.#send({ id: message.id, ...replyTo(message.method) });
    else yield* this.#onNotification({ method: message.method, params: message.params, size });
  }

  #onAnswer(message: Exclude<Message, { method: string }>): void {
    const { id } = message;
    if (typeof id !== 'number' || id < 1 || id > this.#lastId)
      throw new ProtocolError(`an answer to request ${JSON.stringify(id)}, which was never made`);
    if ('error' in message) this.#settle(id, { kind: 'error', ...message.error });
    else this.#settle(id, { kind: 'result', value: message.result });
  }

  #lose(reason: string): void {
    if (this.#lostReason !== undefined) return;
    this.#lostReason = reason;
    for (const id of [...this.#pending.keys()]) this.#settle(id, { kind: 'lost', reason });
    this.#lost.resolve(reason);
  }
}

function brokenProtocol(how: string): string {
  return `The Lean server broke the protocol: ${how}`;
}

/** The reply to a request of the server. Nothing that it asks of an editor applies here, but it waits for a reply. */
function replyTo(method: string): object {
  if (REGISTRATIONS.has(method) || /^workspace\/\w+\/refresh$/.test(method)) return { result: null };
  return { error: { code: ErrorCode.methodNotFound, message: `There is no method ${method}.` } };
}
