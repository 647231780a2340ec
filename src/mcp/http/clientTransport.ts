import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import {
  isJSONRPCRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { CallReply } from './callReply.ts';

/**
 * The transport of a client with an MCP session. It answers a single valid `tools/call` itself, and leaves everything else
 * to the SDK's transport, whose web requests, responses and streams take more CPU time than the rest of a short call.
 */
export class ClientTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #sdk: NodeStreamableHTTPServerTransport;
  readonly #replies = new Map<RequestId, CallReply>();
  #versions: readonly string[] = [];

  constructor(options: ConstructorParameters<typeof NodeStreamableHTTPServerTransport>[0]) {
    this.#sdk = new NodeStreamableHTTPServerTransport(options);
  }

  get sessionId(): string | undefined {
    return this.#sdk.sessionId;
  }

  start(): Promise<void> {
    this.#sdk.onmessage = (message, extra) => this.onmessage?.(message, extra);
    this.#sdk.onerror = (error) => this.onerror?.(error);
    this.#sdk.onclose = () => this.#onClosed();
    return this.#sdk.start();
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#versions = versions;
    this.#sdk.setSupportedProtocolVersions(versions);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const answered = 'method' in message ? undefined : message.id;
    const id = answered ?? options?.relatedRequestId;
    const reply = id === undefined ? undefined : this.#replies.get(id);
    if (!reply) return this.#sdk.send(message, options as { relatedRequestId?: RequestId });
    if (answered === undefined) return reply.notify(message);
    this.#replies.delete(answered);
    reply.end(message);
  }

  /** Answers one request of HTTP; `body` is its JSON. */
  async handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    const { sessionId } = this;
    if (sessionId === undefined || !this.#isCall(request, body))
      return this.#sdk.handleRequest(request, response, body);
    const reply = new CallReply(response, sessionId);
    this.#replies.set(body.id, reply);
    response.once('close', () => this.#abandon(body.id, reply));
    this.onmessage?.(body);
  }

  close(): Promise<void> {
    return this.#sdk.close();
  }

  /** Whether a request is a call that the SDK's transport would accept. */
  #isCall({ headers }: IncomingMessage, body: unknown): body is JSONRPCRequest {
    if (!isJSONRPCRequest(body) || body.method !== 'tools/call' || this.#replies.has(body.id)) return false;
    const { accept = '', 'mcp-protocol-version': version } = headers;
    const acceptsBoth = accept.includes('application/json') && accept.includes('text/event-stream');
    const isSupported = version === undefined || this.#versions.includes(String(version));
    return acceptsBoth && isSupported && isJsonContentType(headers['content-type'] ?? null);
  }

  /** The connection broke before the result; the caller cancels the call. */
  #abandon(id: RequestId, reply: CallReply): void {
    if (this.#replies.get(id) !== reply) return;
    this.#replies.delete(id);
    reply.close();
  }

  #onClosed(): void {
    for (const [id, reply] of this.#replies) this.#abandon(id, reply);
    this.onclose?.();
  }
}
