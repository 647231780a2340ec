import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { type Log, messageOf } from '../../base/log.ts';
import type { McpDeps } from '../server.ts';
import { MAX_BODY_BYTES, readBody } from './body.ts';
import { type Client, Clients } from './clients.ts';
import { type Refusal, refusalOf } from './gate.ts';
import { refuse } from './refuse.ts';
import { relay } from './relay.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CLIENTS = 128;
const CLIENT_IDLE_MS = 3_600_000;
const SWEEP_MS = 60_000;
/** 128 bits are 22 characters of base64. */
const MIN_TOKEN_LENGTH = 22;

export interface HttpOptions extends McpDeps {
  readonly log: Log;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** At least 128 bits, as base64 or longer; the default is 256 random bits. */
  readonly token?: string;
  readonly maxClients?: number;
  readonly clientIdleMs?: number;
  /** Time for a request's headers, and for the whole request, in milliseconds. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** A running server; `dispose` ends connections and, with them, their runs. */
export interface HttpServer {
  readonly url: string;
  readonly token: string;
  dispose(): Promise<void>;
}

/**
 * Serves MCP over Streamable HTTP on 127.0.0.1. Rejects with the system's error when the port is taken, with a
 * `RangeError` when the token is too short.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { log, token = randomBytes(32).toString('base64url') } = options;
  if (token.length < MIN_TOKEN_LENGTH) throw new RangeError(`A token has at least ${MIN_TOKEN_LENGTH} characters.`);
  const clients = new Clients(options, {
    maxClients: options.maxClients ?? MAX_CLIENTS,
    idleMs: options.clientIdleMs ?? CLIENT_IDLE_MS,
  });
  const server = httpServer(options, (request, response) => {
    answer(request, response, clients, token).catch((error: unknown) => {
      log.error(`MCP over HTTP: ${messageOf(error)}`);
      refuse(response, { status: 500, message: 'The request failed inside the server.' });
    });
  });
  const port = await listen(server, options.port ?? 0);
  const sweeper = setInterval(() => void clients.sweep(), Math.min(SWEEP_MS, options.clientIdleMs ?? SWEEP_MS));
  sweeper.unref();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    token,
    async dispose() {
      clearInterval(sweeper);
      await clients.dispose();
      await close(server);
    },
  };
}

function httpServer(options: HttpOptions, onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
  const limits = {
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
    // A request without Host is answered by the gate like one with a wrong Host.
    requireHostHeader: false,
  };
  const server = createServer(limits, onRequest);
  server.maxConnections = 1024;
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, clients: Clients, token: string) {
  const refusal = refusalOf(request, request.socket.localPort ?? 0, token);
  if (refusal) return refuse(response, refusal);
  if (request.method !== 'POST') return pass(await clientOf(request, clients), request, response);
  const body = await readBody(request);
  switch (body.kind) {
    case 'gone':
      return;
    case 'invalid':
      return refuse(response, { status: 400, message: 'The body is not JSON.' });
    case 'too_large':
      return refuse(response, { status: 413, message: `The body is over ${MAX_BODY_BYTES} bytes.` }, request);
    case 'json':
      return pass(await clientOf(request, clients, body.value), request, response, body.value);
  }
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

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
