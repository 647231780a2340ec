import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer, type Server, type ServerNotifier } from '@modelcontextprotocol/server';
import { type Log, messageOf } from '../../base/log.ts';
import { Clients } from './clients.ts';
import { digest, foreignRejection, pathOf, type Rejection, reject, rejectionOf, tokenRejection } from './gate.ts';
import { type Listener, type ListenLimits, listenLocally } from './listener.ts';
import { handleRequest } from './requestHandler.ts';

const MAIN_PATH = '/mcp';
const MAX_CLIENTS = 128;
const MAX_SUBSCRIPTIONS = 128;
const CLIENT_IDLE_MS = 3_600_000;
/** 128 bits are 22 characters of base64. */
const MIN_TOKEN_LENGTH = 22;

/** What serves the addresses below a path, other than MCP. Its requests pass the same gate. */
export interface Site {
  /** Begins and ends with a slash. */
  readonly prefix: string;
  /** Whether a request needs no token, as for pages that are the same for everyone. */
  isPublic(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers a request that the gate has rejected, or whose handling has failed. */
  reject(response: ServerResponse, rejection: Rejection): void;
}

export interface EndpointOptions extends ListenLimits {
  readonly log: Log;
  /**
   * Creates the MCP server of one client that has opened an MCP session, by the client's id; or, with null, of one
   * request of revision 2026-07-28, which has no sessions. `path` is the one that the client has called.
   */
  readonly createServer: (client: string | null, path: string) => Server | McpServer;
  /** Paths that are served beside `/mcp`. */
  readonly morePaths?: readonly string[];
  readonly sites?: readonly Site[];
  /** Default: 0, a free port. */
  readonly port?: number;
  /** At least 128 bits as base64; default: 256 random bits. */
  readonly token?: string;
  readonly maxClients?: number;
  readonly clientIdleMs?: number;
}

/** A running endpoint. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** The clients that have opened an MCP session. */
  readonly clients: Clients;
  /** Notifies the clients of revision 2026-07-28 that have subscribed to changes. */
  readonly notify: ServerNotifier;
  /** Closes all connections and cancels their calls. */
  dispose(): Promise<void>;
}

/**
 * Serves MCP over Streamable HTTP on 127.0.0.1, in revision 2026-07-28 and in the revisions up to 2025-11-25. Rejects
 * with the system's error when the port is in use, and with a `RangeError` when the token is too short.
 */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { log, createServer, token = randomBytes(32).toString('base64url') } = options;
  if (token.length < MIN_TOKEN_LENGTH) throw new RangeError(`A token has at least ${MIN_TOKEN_LENGTH} characters.`);
  const clients = new Clients({
    maxClients: options.maxClients ?? MAX_CLIENTS,
    idleMs: options.clientIdleMs ?? CLIENT_IDLE_MS,
  });
  const tokenDigest = digest(token);
  const openPath = (path: string) => {
    const handler = createMcpHandler(() => createServer(null, path), {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
    const createFor = (client: string) => createServer(client, path);
    return { path, handler, eras: { clients, createServer: createFor, stateless: toNodeHandler(handler) } };
  };
  const main = openPath(MAIN_PATH);
  const places = [main, ...(options.morePaths ?? []).map(openPath)];
  const paths = places.map(({ path }) => path);
  const listener: Listener = await listenLocally(options.port ?? 0, options, (request, response) => {
    const site = options.sites?.find(({ prefix }) => pathOf(request).startsWith(prefix));
    const isPublic = site?.isPublic(request) === true;
    const rejection = site
      ? (foreignRejection(request, listener.port) ?? (isPublic ? undefined : tokenRejection(request, tokenDigest)))
      : rejectionOf(request, listener.port, tokenDigest, paths);
    const refuse = site ? site.reject : reject;
    if (rejection) return refuse(response, rejection);
    if (!isPublic) listener.unauthenticated.remove(request.socket);
    const { eras } = places.find(({ path }) => path === pathOf(request)) ?? main;
    const handled = site ? site.handle(request, response) : handleRequest(request, response, eras);
    handled.catch((error: unknown) => {
      log.error(`HTTP: ${messageOf(error)}`);
      refuse(response, { status: 500, message: 'The request failed inside the server.' });
    });
  });
  return {
    url: `http://127.0.0.1:${listener.port}${MAIN_PATH}`,
    token,
    clients,
    notify: main.handler.notify,
    async dispose() {
      await Promise.all([...places.map(({ handler }) => handler.close()), clients.dispose()]);
      await listener.close();
    },
  };
}
