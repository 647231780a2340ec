import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createMcpServer, type McpDeps } from '../server.ts';

/** A connected client: an MCP session, which is one owner. */
export interface Client {
  readonly transport: StreamableHTTPServerTransport;
  readonly ownerId: string;
  lastUsedAt: number;
  /** Requests, streams too, that are not answered yet. */
  openRequests: number;
}

/** Bounds of the table of clients. */
export interface ClientLimits {
  readonly maxClients: number;
  /** A client without open requests is forgotten after this long, and its idle sessions are closed. */
  readonly idleMs: number;
}

/** The clients by their `mcp-session-id`. */
export class Clients {
  readonly #deps: McpDeps;
  readonly #limits: ClientLimits;
  readonly #clients = new Map<string, Client>();
  readonly #gone = new Set<string>();

  constructor(deps: McpDeps, limits: ClientLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  get(id: string): Client | undefined {
    return this.#clients.get(id);
  }

  /** A client that enters the table when its `initialize` succeeds; undefined when all places are in use. */
  async connect(): Promise<Client | undefined> {
    if (this.#clients.size >= this.#limits.maxClients && !this.#forgetOldestIdle()) return undefined;
    const ownerId = `mcp-http-${randomUUID()}`;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#clients.set(id, client),
    });
    const client: Client = { transport, ownerId, lastUsedAt: performance.now(), openRequests: 0 };
    const server = createMcpServer(this.#deps, ownerId);
    server.onclose = () => this.#forget(client);
    // The SDK's class spells its optional handlers in a way that strict optional types refuse.
    await server.connect(transport as Transport);
    return client;
  }

  /** Forgets clients that were idle for too long, and closes sessions whose client has gone and that nobody uses. */
  async sweep(): Promise<void> {
    const before = performance.now() - this.#limits.idleMs;
    for (const client of [...this.#clients.values()]) {
      if (client.openRequests === 0 && client.lastUsedAt <= before) await client.transport.close();
    }
    const { sessions } = this.#deps.engine.snapshot();
    for (const { id, owner, state, lastUsedAt } of sessions) {
      const unused = state === 'idle' && lastUsedAt <= Date.now() - this.#limits.idleMs;
      if (unused && this.#gone.has(owner.id)) await this.#deps.engine.closeSession(id);
    }
    this.#forgetOwnersWithout(new Set(sessions.map(({ owner }) => owner.id)));
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ transport }) => transport.close()));
  }

  #forget(client: Client): void {
    const id = client.transport.sessionId;
    if (id === undefined || !this.#clients.delete(id)) return;
    this.#gone.add(client.ownerId);
  }

  #forgetOldestIdle(): boolean {
    const idle = [...this.#clients.values()].filter(({ openRequests }) => openRequests === 0);
    const oldest = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0];
    void oldest?.transport.close();
    return oldest !== undefined;
  }

  #forgetOwnersWithout(owners: ReadonlySet<string>): void {
    for (const owner of this.#gone) if (!owners.has(owner)) this.#gone.delete(owner);
  }
}
