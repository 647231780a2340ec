import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  isInitializeRequest,
  type McpServer,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { type Log, messageOf } from '../../base/log.ts';
import { MAX_BODY_BYTES, readBody } from './body.ts';
import { type Client, Clients } from './clients.ts';
import { type Refusal, refusalOf } from './gate.ts';
import { type Listener, type ListenLimits, listenLocally } from './listen.ts';
import { refuse } from './refuse.ts';
import { relay } from './relay.ts';

const MAX_CLIENTS = 128;
const MAX_SUBSCRIPTIONS = 128;
const CLIENT_IDLE_MS = 3_600_000;
/** 128 bits are 22 characters of base64. */
const MIN_TOKEN_LENGTH = 22;
/** JSON-RPC's word for a message that is no JSON. */
const PARSE_ERROR = -32_700;

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

/** What answers the requests that pass the gate: one part for each era. */
interface Eras {
  readonly clients: Clients;
  readonly stateless: NodeMcpRequestHandler;
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
    answer(request, response, listener, eras, token).catch((error: unknown) => {
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { port, strangers }: Listener,
  eras: Eras,
  token: string,
) {
  const refusal = refusalOf(request, port, token);
  if (refusal) return refuse(response, refusal);
  strangers.recognize(request.socket);
  if (request.method !== 'POST') return pass(await clientOf(request, eras.clients), request, response);
  const body = await readBody(request);
  switch (body.kind) {
    case 'gone':
      return;
    case 'invalid':
      return refuse(response, { status: 400, message: `The body cannot be read. ${body.reason}`, code: PARSE_ERROR });
    case 'too_large':
      return refuse(response, { status: 413, message: `The body is over ${MAX_BODY_BYTES} bytes.` }, request);
    case 'json':
      // The library's type spells optional fields in a way that strict optional types refuse.
      if (!isStateful(request, body.value))
        return eras.stateless(request as NodeIncomingMessageLike, response, body.value);
      return pass(await clientOf(request, eras.clients, body.value), request, response, body.value);
  }
}

/** Whether a request is of a revision up to 2025-11-25. */
function isStateful({ headers }: IncomingMessage, body: unknown): boolean {
  const version = headers['mcp-protocol-version'];
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: String(version) }),
    body,
  });
  return kind === 'legacy';
}

function pass(client: Client | Refusal, request: IncomingMessage, response: ServerResponse, body?: unknown) {
  return 'status' in client ? refuse(response, client) : relay(client, request, response, body);
}

async function clientOf(request: IncomingMessage, clients: Clients, body?: unknown): Promise<Client | Refusal> {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    const client = clients.get(String(id));
    // By this status clients know that they must initialize anew.
    return client ?? { status: 404, message: 'This session is not known; initialize a new one.' };
  }
  if (!isInitializeRequest(body)) return { status: 400, message: 'The mcp-session-id header is missing.' };
  return (await clients.connect()) ?? { status: 503, message: 'Too many clients are connected.' };
}
