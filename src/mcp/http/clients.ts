import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServer,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Viewer } from '../../engine/session/viewer.ts';
import { ClientTransport } from './clientTransport.ts';

/** A client of a revision up to 2025-11-25: it has opened an MCP session. */
export class Client {
  /** Whose token has opened the MCP session; it is of no use with another one. */
  readonly viewer: Viewer;
  readonly transport: ClientTransport;
  #lastUsedAtMs = performance.now();
  #openRequests = 0;

  constructor(viewer: Viewer, transport: ClientTransport) {
    this.viewer = viewer;
    this.transport = transport;
  }

  /** Since when the client has no open request or stream (`performance.now()`), or null while it has one. */
  get idleSinceMs(): number | null {
    return this.#openRequests === 0 ? this.#lastUsedAtMs : null;
  }

  /** Answers one request. When the connection breaks before the response is sent, its calls are cancelled. */
  async handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    this.#openRequests += 1;
    response.once('close', () => {
      this.#openRequests -= 1;
      this.#lastUsedAtMs = performance.now();
      if (!response.writableFinished) this.#cancel(body);
    });
    await this.transport.handle(request, response, body);
  }

  // Streams are not resumable, so nothing could read the responses; and on loopback a connection breaks only when its
  // client ends or aborts.
  #cancel(body: unknown): void {
    for (const message of Array.isArray(body) ? body : [body]) {
      if (isJSONRPCRequest(message)) this.transport.onmessage?.(cancelled(message.id));
    }
  }
}

function cancelled(requestId: string | number): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'the connection broke' } };
}

/** Limits of the client table. */
export interface ClientLimits {
  readonly maxClients: number;
  /** A client without open requests is removed after this time, in milliseconds. */
  readonly idleMs: number;
}

/** The connected clients by their `mcp-session-id`. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #clients = new Map<string, Client>();

  constructor(limits: ClientLimits) {
    this.#limits = limits;
  }

  /** The client with that `mcp-session-id`, if it belongs to the viewer. */
  get(mcpSessionId: string, { id }: Viewer): Client | undefined {
    const client = this.#clients.get(mcpSessionId);
    return client?.viewer.id === id ? client : undefined;
  }

  /** Whether a client of the owner with this id is connected. */
  isConnected(ownerId: string): boolean {
    return [...this.#clients.values()].some(({ viewer }) => viewer.id === ownerId);
  }

  /**
   * A client that enters the table when its `initialize` succeeds; undefined when the table is full of busy clients.
   * `createServer` creates its MCP server.
   */
  async connect(viewer: Viewer, createServer: (viewer: Viewer) => Server | McpServer): Promise<Client | undefined> {
    if (this.#clients.size >= this.#limits.maxClients && !this.#removeLongestIdle()) return undefined;
    const transport = new ClientTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#clients.set(id, client),
    });
    const client = new Client(viewer, transport);
    transport.onclose = () => this.#remove(client);
    // The SDK declares its optional handlers in a way that `exactOptionalPropertyTypes` rejects.
    await createServer(viewer).connect(transport as Transport);
    return client;
  }

  /** Removes clients that have been idle for longer than the limit. */
  async sweep(): Promise<void> {
    const limit = performance.now() - this.#limits.idleMs;
    for (const { idleSinceMs, transport } of [...this.#clients.values()]) {
      if (idleSinceMs !== null && idleSinceMs <= limit) await transport.close();
    }
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ transport }) => transport.close()));
  }

  #remove({ transport: { sessionId } }: Client): void {
    if (sessionId !== undefined) this.#clients.delete(sessionId);
  }

  #removeLongestIdle(): boolean {
    const idle = [...this.#clients.values()].filter(({ idleSinceMs }) => idleSinceMs !== null);
    const oldest = idle.sort((a, b) => (a.idleSinceMs ?? 0) - (b.idleSinceMs ?? 0))[0];
    void oldest?.transport.close();
    return oldest !== undefined;
  }
}
