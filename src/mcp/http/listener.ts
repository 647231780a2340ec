import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UnauthenticatedConnections } from './unauthenticatedConnections.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * How long an idle connection is kept. A client that reuses one just as it is closed gets ECONNRESET; Node's 5 s are short
 * enough for that on a busy machine, and shorter than an agent thinks between two calls.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Far more than local clients need; each costs a file descriptor and some kilobytes. */
const MAX_UNAUTHENTICATED = 512;
const MAX_CONNECTIONS = 4096;

/** Overrides of the limits on connections. */
export interface ListenLimits {
  /** Time limits of a request's headers and of the whole request, in milliseconds. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** Connections kept that have not sent the token yet. */
  readonly maxUnauthenticated?: number;
}

/** A listening HTTP server on 127.0.0.1. */
export interface Listener {
  readonly port: number;
  readonly unauthenticated: UnauthenticatedConnections;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Listens on `port`; 0 selects a free one. Rejects with the system's error. */
export async function listenLocally(
  port: number,
  limits: ListenLimits,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  onUpgrade?: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): Promise<Listener> {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: limits.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
      // The gate rejects a request without Host like one with an invalid Host.
      requireHostHeader: false,
    },
    onRequest,
  );
  // Without a listener Node.js takes a request to upgrade for a usual one.
  if (onUpgrade) server.on('upgrade', onUpgrade);
  server.maxConnections = MAX_CONNECTIONS;
  const unauthenticated = new UnauthenticatedConnections(server, limits.maxUnauthenticated ?? MAX_UNAUTHENTICATED);
  return { port: await listen(server, port), unauthenticated, close: () => close(server) };
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
