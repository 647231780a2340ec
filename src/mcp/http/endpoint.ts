import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer, type Server, type ServerNotifier } from '@modelcontextprotocol/server';
import { type Log, messageOf } from '../../base/log.ts';
import type { Viewer } from '../../engine/session/viewer.ts';
import { JOIN_PATH, JOIN_PROTOCOL } from '../join/door.ts';
import { Access, type FindClientToken } from './access.ts';
import { Clients } from './clients.ts';
import { admit, foreignRejection, identify, pathOf, type Rejection, reject } from './gate.ts';
import { type Listener, type ListenLimits, listenLocally } from './listener.ts';
import { handleRequest } from './requestHandler.ts';

const MAIN_PATH = '/mcp';
const MAX_CLIENTS = 128;
const MAX_SUBSCRIPTIONS = 128;
const CLIENT_IDLE_MS = 3_600_000;

/** What serves the addresses below a path, other than MCP. Its requests pass the same gate. */
export interface Site {
  /** Begins and ends with a slash. */
  readonly prefix: string;
  /** Whether a request needs no token, as for pages that are the same for everyone. */
  isPublic(request: IncomingMessage): boolean;
  /** `viewer` is whose token the client has sent; null for a public request. */
  handle(request: IncomingMessage, response: ServerResponse, viewer: Viewer | null): Promise<void>;
  /** Answers a request that the gate has rejected, or whose handling has failed. */
  reject(response: ServerResponse, rejection: Rejection): void;
}

export interface EndpointOptions extends ListenLimits {
  readonly log: Log;
  /**
   * Creates the MCP server of one client that has opened an MCP session, or of one request of revision 2026-07-28, which
   * has no sessions. `viewer` is whose token the client has sent, `path` the one that it has called.
   */
  readonly createServer: (viewer: Viewer, path: string) => Server | McpServer;
  /** Paths that are served beside `/mcp`. */
  readonly morePaths?: readonly string[];
  readonly sites?: readonly Site[];
  /** Serves a connection that a program of the user has upgraded at `JOIN_PATH`; default: none is. */
  readonly onJoin?: (socket: Socket, request: IncomingMessage) => Promise<void>;
  /** Default: 0, a free port. */
  readonly port?: number;
  /** At least 128 bits as base64; default: 256 random bits. */
  readonly token?: string;
  /** Tokens that are accepted besides; default: none. */
  readonly findToken?: FindClientToken;
  readonly maxClients?: number;
  readonly clientIdleMs?: number;
}

/** A running endpoint. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** For programs of the user that started it: with it a person sees all sessions. */
  readonly userToken: string;
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
  const { log, createServer } = options;
  const access = new Access(options.token, options.findToken);
  const clients = new Clients({
    maxClients: options.maxClients ?? MAX_CLIENTS,
    idleMs: options.clientIdleMs ?? CLIENT_IDLE_MS,
  });
  const openPath = (path: string) => {
    const handler = createMcpHandler(({ authInfo }) => createServer(viewerIn(authInfo), path), {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
    const createFor = (viewer: Viewer) => createServer(viewer, path);
    return { path, handler, eras: { clients, createServer: createFor, stateless: toNodeHandler(handler) } };
  };
  const main = openPath(MAIN_PATH);
  const places = [main, ...(options.morePaths ?? []).map(openPath)];
  const paths = places.map(({ path }) => path);
  const joined = new Set<Socket>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const site = options.sites?.find(({ prefix }) => pathOf(request).startsWith(prefix));
    const isPublic = site?.isPublic(request) === true;
    const viewer = site
      ? (foreignRejection(request, listener.port) ?? (isPublic ? null : identify(request, access)))
      : admit(request, listener.port, access, paths);
    const refuse = site ? site.reject : reject;
    if (viewer && 'status' in viewer) return refuse(response, viewer);
    if (viewer) listener.unauthenticated.remove(request.socket);
    const { eras } = places.find(({ path }) => path === pathOf(request)) ?? main;
    const handled = site
      ? site.handle(request, response, viewer)
      : viewer && handleRequest(request, response, viewer, eras);
    handled?.catch((error: unknown) => {
      log.error(`HTTP: ${messageOf(error)}`);
      refuse(response, { status: 500, message: 'The request failed inside the server.' });
    });
  };
  const join = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const viewer = foreignRejection(request, listener.port) ?? identify(request, access);
    const isUser = !('status' in viewer) && viewer.kind !== 'mcp';
    if (!options.onJoin || !isUser || pathOf(request) !== JOIN_PATH) {
      return void socket.end(`HTTP/1.1 ${'status' in viewer ? viewer.status : 404} No\r\nConnection: close\r\n\r\n`);
    }
    listener.unauthenticated.remove(socket);
    joined.add(socket.once('close', () => joined.delete(socket)));
    socket.setTimeout(0);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${JOIN_PROTOCOL}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    options.onJoin(socket, request).catch((error: unknown) => log.error(`Joined client: ${messageOf(error)}`));
  };
  const listener: Listener = await listenLocally(options.port ?? 0, options, answer, options.onJoin && join);
  return {
    url: `http://127.0.0.1:${listener.port}${MAIN_PATH}`,
    token: access.token,
    userToken: access.userToken,
    clients,
    notify: main.handler.notify,
    async dispose() {
      await Promise.all([...places.map(({ handler }) => handler.close()), clients.dispose()]);
      for (const socket of joined) socket.destroy();
      await listener.close();
    },
  };
}

/** What `handleRequest` gives the SDK to hand on with a request of revision 2026-07-28. */
function viewerIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Viewer {
  return authInfo?.extra?.viewer as Viewer;
}
