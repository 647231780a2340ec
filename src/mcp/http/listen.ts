import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Strangers } from './strangers.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Far more than local clients need; each costs a descriptor and some kilobytes. */
const MAX_STRANGERS = 512;
const MAX_CONNECTIONS = 4096;

/** Bounds on those who connect, in the place of the product's own. */
export interface ListenLimits {
  /** Time for a request's headers, and for the whole request, in milliseconds. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** Connections kept over which nobody has shown the token yet. */
  readonly maxStrangers?: number;
}

/** A listening HTTP server on 127.0.0.1. */
export interface Listener {
  readonly port: number;
  readonly strangers: Strangers;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Listens at `port`, 0 for a free one. Rejects with the system's error when it cannot. */
export async function listenLocally(
  port: number,
  limits: ListenLimits,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listener> {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: limits.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
      // A request without Host is answered by the gate like one with a wrong Host.
      requireHostHeader: false,
    },
    onRequest,
  );
  server.maxConnections = MAX_CONNECTIONS;
  const strangers = new Strangers(server, limits.maxStrangers ?? MAX_STRANGERS);
  return { port: await listen(server, port), strangers, close: () => close(server) };
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
