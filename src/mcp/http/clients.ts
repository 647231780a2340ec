import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { McpServer, Server, Transport } from '@modelcontextprotocol/server';

/** A client of the revisions up to 2025-11-25: it has opened an MCP session. */
export interface Client {
  /** Names it among the clients of its server; not its `mcp-session-id`, which is for it alone. */
  readonly id: string;
  readonly transport: NodeStreamableHTTPServerTransport;
  lastUsedAt: number;
  /** Requests, streams too, that are not answered yet. */
  openRequests: number;
}

/** Bounds of the table of clients. */
export interface ClientLimits {
  readonly maxClients: number;
  /** A client without open requests is forgotten after this long. */
  readonly idleMs: number;
}

/** The clients by their `mcp-session-id`. */
export class Clients {
  readonly #createServer: (client: string) => Server | McpServer;
  readonly #limits: ClientLimits;
  readonly #clients = new Map<string, Client>();

  constructor(createServer: (client: string) => Server | McpServer, limits: ClientLimits) {
    this.#createServer = createServer;
    this.#limits = limits;
  }

  get(id: string): Client | undefined {
    return this.#clients.get(id);
  }

  /** Whether a client of that id is in the table. */
  isConnected(id: string): boolean {
    return [...this.#clients.values()].some((client) => client.id === id);
  }

  /** A client that enters the table when its `initialize` succeeds; undefined when all places are in use. */
  async connect(): Promise<Client | undefined> {
    if (this.#clients.size >= this.#limits.maxClients && !this.#forgetOldestIdle()) return undefined;
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#clients.set(id, client),
    });
    const client: Client = { id: randomUUID(), transport, lastUsedAt: performance.now(), openRequests: 0 };
    transport.onclose = () => this.#forget(client);
    // The SDK's class spells its optional handlers in a way that strict optional types refuse.
    await this.#createServer(client.id).connect(transport as Transport);
    return client;
  }

  /** Forgets clients that were idle for too long. */
  async sweep(): Promise<void> {
    const before = performance.now() - this.#limits.idleMs;
    for (const client of [...this.#clients.values()]) {
      if (client.openRequests === 0 && client.lastUsedAt <= before) await client.transport.close();
    }
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ transport }) => transport.close()));
  }

  #forget({ transport: { sessionId } }: Client): void {
    if (sessionId !== undefined) this.#clients.delete(sessionId);
  }

  #forgetOldestIdle(): boolean {
    const idle = [...this.#clients.values()].filter(({ openRequests }) => openRequests === 0);
    const oldest = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0];
    void oldest?.transport.close();
    return oldest !== undefined;
  }
}
