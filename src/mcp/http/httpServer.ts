import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Server } from '@modelcontextprotocol/server';
import type { Viewer } from '../../engine/session/viewer.ts';
import { serveJoined } from '../join/door.ts';
import { createMcpServer, type McpDependencies } from '../mcpServer.ts';
import { restSite } from '../profiles/dockerExecutor/rest/restSite.ts';
import { profileServers } from '../profiles/profileServer.ts';
import { PROFILES } from '../profiles/profiles.ts';
import { type Endpoint, type EndpointOptions, openEndpoint } from './endpoint.ts';
import { sessionSite } from './sessionSite.ts';

/** A working day: agents return to their sessions after a break. */
const SESSION_IDLE_MS = 8 * 3_600_000;
const SWEEP_MS = 60_000;

export interface HttpOptions extends McpDependencies, Omit<EndpointOptions, 'createServer' | 'onJoin'> {
  /** Idle time after which a session without a connected client is closed, in milliseconds. */
  readonly sessionIdleMs?: number;
  /** Whether processes of `hothouse mcp` may join its engine; default: no. */
  readonly isJoinable?: boolean;
}

/** A running server; `dispose` closes all connections and cancels their runs. */
export type HttpServer = Pick<Endpoint, 'url' | 'token' | 'userToken' | 'dispose'>;

/**
 * Serves the engine's tools over HTTP, and the REST interface of an older server. All clients with the same token are one
 * owner, in every revision and over every connection. Rejects as `openEndpoint` does.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { sessionIdleMs = SESSION_IDLE_MS, clientIdleMs } = options;
  const owners = new Map<string, Owner>();
  const createServer = (viewer: Viewer, path: string) => {
    const owner = owners.get(viewer.id) ?? new Owner(viewer, options);
    owners.set(viewer.id, owner);
    return owner.createServer(path);
  };
  const rest = restSite(options.engine);
  const onJoin = (socket: Socket, request: IncomingMessage) => serveJoined(socket, request, options);
  const endpoint = await openEndpoint({
    ...options,
    ...(options.isJoinable && { onJoin }),
    createServer,
    morePaths: [...PROFILE_PATHS.keys()],
    sites: [rest, sessionSite(options.engine)],
  });
  const sweep = async () => {
    await endpoint.clients.sweep();
    await closeUnused(options.engine, owners, endpoint.clients, sessionIdleMs);
  };
  const sweeper = setInterval(() => void sweep(), Math.min(SWEEP_MS, sessionIdleMs, clientIdleMs ?? SWEEP_MS));
  sweeper.unref();
  return {
    ...endpoint,
    async dispose() {
      clearInterval(sweeper);
      rest.dispose();
      await endpoint.dispose();
    },
  };
}

const PROFILE_PATHS = new Map(PROFILES.map((profile) => [`/mcp/${profile.id}`, profile]));

/** The clients with one token. They share the sessions that they name in a profile. */
class Owner {
  readonly #viewer: Viewer;
  readonly #deps: McpDependencies;
  readonly #profiles = new Map<string, () => Server>();

  constructor(viewer: Viewer, deps: McpDependencies) {
    this.#viewer = viewer;
    this.#deps = deps;
  }

  /** The server of one client or request. */
  createServer(path: string): Server {
    const profile = PROFILE_PATHS.get(path);
    if (!profile) return createMcpServer(this.#deps, this.#viewer);
    const create = this.#profiles.get(path) ?? profileServers(profile, this.#deps, this.#viewer.id);
    this.#profiles.set(path, create);
    return create();
  }
}

/** Closes sessions of this server's owners that were idle for `idleMs`, unless a client of theirs is connected. */
async function closeUnused(
  engine: McpDependencies['engine'],
  owners: ReadonlyMap<string, Owner>,
  clients: Endpoint['clients'],
  idleMs: number,
): Promise<void> {
  for (const { id, owner, state, lastUsedAt } of engine.snapshot().sessions) {
    const isDisconnected = owners.has(owner.id) && !clients.isConnected(owner.id);
    if (isDisconnected && state === 'idle' && lastUsedAt <= Date.now() - idleMs) await engine.closeSession(id);
  }
}
