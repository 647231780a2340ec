import { randomUUID } from 'node:crypto';
import { createMcpServer, type McpDeps } from '../server.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';

/** A working day: agents come back to their sessions after a break. */
const SESSION_IDLE_MS = 8 * 3_600_000;
const SWEEP_MS = 60_000;

export interface HttpOptions extends McpDeps, Omit<EndpointOptions, 'createServer'> {
  /** Time without use after which a session of a client that is not known to be there is closed, in milliseconds. */
  readonly sessionIdleMs?: number;
}

/** A running server; `dispose` ends connections and, with them, their runs. */
export type HttpServer = Pick<Endpoint, 'url' | 'token' | 'dispose'>;

/**
 * Serves the engine's tools over HTTP. A client that has opened an MCP session (revisions up to 2025-11-25) is an owner
 * of its own; where there are none (2026-07-28), all who have the token are one owner together. Rejects as
 * `openEndpoint` does.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { sessionIdleMs = SESSION_IDLE_MS, clientIdleMs } = options;
  const owner = `mcp-http-${randomUUID()}`;
  const createServer = (client: string | null) =>
    createMcpServer(options, client === null ? owner : `${owner}/${client}`);
  const endpoint = await openEndpoint({ ...options, createServer });
  const sweep = async () => {
    await endpoint.clients.sweep();
    await closeUnused(options.engine, owner, endpoint.clients, sessionIdleMs);
  };
  const sweeper = setInterval(() => void sweep(), Math.min(SWEEP_MS, sessionIdleMs, clientIdleMs ?? SWEEP_MS));
  sweeper.unref();
  return {
    ...endpoint,
    async dispose() {
      clearInterval(sweeper);
      await endpoint.dispose();
    },
  };
}

/** Closes the idle sessions of this server's owners that nobody has used for long, unless their client is connected. */
async function closeUnused(
  engine: McpDeps['engine'],
  server: string,
  clients: Endpoint['clients'],
  idleMs: number,
): Promise<void> {
  for (const { id, owner, state, lastUsedAt } of engine.snapshot().sessions) {
    const [opener, client] = owner.id.split('/');
    const isGone = opener === server && (client === undefined || !clients.isConnected(client));
    if (isGone && state === 'idle' && lastUsedAt <= Date.now() - idleMs) await engine.closeSession(id);
  }
}
