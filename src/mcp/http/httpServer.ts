import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/server';
import { createMcpServer, type McpDependencies } from '../mcpServer.ts';
import type { Profile } from '../profiles/profile.ts';
import { profileServers } from '../profiles/profileServer.ts';
import { PROFILES } from '../profiles/profiles.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';

/** A working day: agents return to their sessions after a break. */
const SESSION_IDLE_MS = 8 * 3_600_000;
const SWEEP_MS = 60_000;

export interface HttpOptions extends McpDependencies, Omit<EndpointOptions, 'createServer'> {
  /** Idle time after which a session without a connected client is closed, in milliseconds. */
  readonly sessionIdleMs?: number;
}

/** A running server; `dispose` closes all connections and cancels their runs. */
export type HttpServer = Pick<Endpoint, 'url' | 'token' | 'dispose'>;

/**
 * Serves the engine's tools over HTTP. A client with an MCP session (revisions up to 2025-11-25) is its own owner; all
 * clients of revision 2026-07-28, which has no sessions, are one owner. Rejects as `openEndpoint` does.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { sessionIdleMs = SESSION_IDLE_MS, clientIdleMs } = options;
  const owner = `mcp-http-${randomUUID()}`;
  const profiles = new Map<string, { readonly profile: Profile; readonly createShared: () => Server }>(
    PROFILES.map((profile) => {
      // Clients of revision 2026-07-28 share the sessions that they name: they are one owner.
      const createShared = profileServers(profile, options, owner);
      return [`/mcp/${profile.id}`, { profile, createShared }];
    }),
  );
  const createServer = (client: string | null, path: string) => {
    const ownerId = client === null ? owner : `${owner}/${client}`;
    const found = profiles.get(path);
    if (!found) return createMcpServer(options, ownerId);
    return client === null ? found.createShared() : profileServers(found.profile, options, ownerId)();
  };
  const endpoint = await openEndpoint({ ...options, createServer, morePaths: [...profiles.keys()] });
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

/** Closes sessions of this server's owners that were idle for `idleMs`, unless their client is connected. */
async function closeUnused(
  engine: McpDependencies['engine'],
  server: string,
  clients: Endpoint['clients'],
  idleMs: number,
): Promise<void> {
  for (const { id, owner, state, lastUsedAt } of engine.snapshot().sessions) {
    const [opener, client] = owner.id.split('/');
    const isDisconnected = opener === server && (client === undefined || !clients.isConnected(client));
    if (isDisconnected && state === 'idle' && lastUsedAt <= Date.now() - idleMs) await engine.closeSession(id);
  }
}
