import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { formatList } from '../../base/list.ts';
import type { Viewer } from '../../engine/session/viewer.ts';
import { type Access, Unauthorized } from './access.ts';

/** An error response. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC error code; default: -32000. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who sends a request for MCP. Rejects every one that does not come from a local client with a token. */
export function admit(
  request: IncomingMessage,
  port: number,
  access: Access,
  paths: readonly string[],
): Viewer | Rejection {
  const foreign = foreignRejection(request, port);
  if (foreign) return foreign;
  if (!paths.includes(pathOf(request))) {
    return { status: 404, message: `The MCP endpoint is ${formatList(paths, 'or')}.` };
  }
  const viewer = identify(request, access);
  if ('status' in viewer) return viewer;
  if (!['GET', 'POST', 'DELETE'].includes(request.method ?? '')) {
    return { status: 405, message: 'Methods are GET, POST and DELETE.', headers: { Allow: 'GET, POST, DELETE' } };
  }
  return viewer;
}

/**
 * Rejects a request that does not come from this machine. Host must be a loopback name of this server, which stops DNS
 * rebinding; Origin, which only browsers send, must be absent or this server's own.
 */
export function foreignRejection(request: IncomingMessage, port: number): Rejection | undefined {
  const authorities = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`);
  const [host, ...moreHosts] = valuesOf(request, 'host');
  if (host === undefined || moreHosts.length > 0 || !authorities.includes(host)) {
    return { status: 403, message: `Host must be ${authorities.join(' or ')}.` };
  }
  const [origin, ...moreOrigins] = valuesOf(request, 'origin');
  if (moreOrigins.length > 0 || (origin !== undefined && !authorities.some((it) => origin === `http://${it}`))) {
    return { status: 403, message: 'This Origin is not allowed.' };
  }
  return undefined;
}

/** Who sends a request. Rejects one without a valid token. */
export function identify(request: IncomingMessage, access: Access): Viewer | Rejection {
  const viewer = access.authenticate(request);
  if (!(viewer instanceof Unauthorized)) return viewer;
  return {
    status: 401,
    message: viewer.message,
    headers: { 'WWW-Authenticate': 'Bearer realm="hothouse"' },
  };
}

/** The path of a request's address, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Every value of a header; `request.headers` joins or drops duplicates. */
function valuesOf(request: IncomingMessage, name: string): string[] {
  return request.headersDistinct[name] ?? [];
}

/**
 * Sends an error response with a JSON-RPC error and closes the connection, as the body may be unread. `unread` is read
 * to its end first: a client that is still sending when the connection closes would never see the response.
 */
export function reject(
  response: ServerResponse,
  { status, message, code = -32_000, headers }: Rejection,
  unread?: IncomingMessage,
): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': length,
    Connection: 'close',
  });
  response.write(text);
  if (unread) finished(unread.resume(), () => response.end());
  else response.end();
}
