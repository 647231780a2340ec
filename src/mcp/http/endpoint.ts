import { randomBytes } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer, type Server, type ServerNotifier } from '@modelcontextprotocol/server';
import { type Log, messageOf } from '../../base/log.ts';
import { Clients } from './clients.ts';
import { refusalOf } from './gate.ts';
import { type Listener, type ListenLimits, listenLocally } from './listen.ts';
import { refuse } from './refuse.ts';
import { route } from './route.ts';

const MAX_CLIENTS = 128;
const MAX_SUBSCRIPTIONS = 128;
const CLIENT_IDLE_MS = 3_600_000;
/** 128 bits are 22 characters of base64. */
const MIN_TOKEN_LENGTH = 22;

export interface EndpointOptions extends ListenLimits {
  readonly log: Log;
  /**
   * Makes the MCP server of one client that has opened an MCP session, by the client's id, or of one request of
   * revision 2026-07-28, which has none: null.
   */
  readonly createServer: (client: string | null) => Server | McpServer;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** At least 128 bits, as base64 or longer; the default is 256 random bits. */
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
  /** Tells the clients of revision 2026-07-28 that have subscribed to changes. */
  readonly notify: ServerNotifier;
  /** Ends connections and, with them, their calls. */
  dispose(): Promise<void>;
}

/**
 * Serves MCP over Streamable HTTP on 127.0.0.1, by revision 2026-07-28 and by those up to 2025-11-25: a request says in
 * its body which it is. Rejects with the system's error when the port is taken, with a `RangeError` when the token is
 * too short.
 */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { log, createServer, token = randomBytes(32).toString('base64url') } = options;
  if (token.length < MIN_TOKEN_LENGTH) throw new RangeError(`A token has at least ${MIN_TOKEN_LENGTH} characters.`);
  const handler = createMcpHandler(() => createServer(null), { legacy: 'reject', maxSubscriptions: MAX_SUBSCRIPTIONS });
  const clients = new Clients(createServer, {
    maxClients: options.maxClients ?? MAX_CLIENTS,
    idleMs: options.clientIdleMs ?? CLIENT_IDLE_MS,
  });
  const eras = { clients, stateless: toNodeHandler(handler) };
  const listener: Listener = await listenLocally(options.port ?? 0, options, (request, response) => {
    const refusal = refusalOf(request, listener.port, token);
    if (refusal) return refuse(response, refusal);
    listener.strangers.recognize(request.socket);
    route(request, response, eras).catch((error: unknown) => {
      log.error(`MCP over HTTP: ${messageOf(error)}`);
      refuse(response, { status: 500, message: 'The request failed inside the server.' });
    });
  });
  return {
    url: `http://127.0.0.1:${listener.port}/mcp`,
    token,
    clients,
    notify: handler.notify,
    async dispose() {
      await Promise.all([handler.close(), clients.dispose()]);
      await listener.close();
    },
  };
}
