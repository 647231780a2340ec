import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { formatList } from '../../base/list.ts';

/** An error response. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC error code; default: -32000. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects every request for MCP that does not come from a local client with the token. */
export function rejectionOf(
  request: IncomingMessage,
  port: number,
  tokenDigest: Buffer,
  paths: readonly string[],
): Rejection | undefined {
  const foreign = foreignRejection(request, port);
  if (foreign) return foreign;
  if (!paths.includes(pathOf(request))) {
    return { status: 404, message: `The MCP endpoint is ${formatList(paths, 'or')}.` };
  }
  const unauthorized = tokenRejection(request, tokenDigest);
  if (unauthorized) return unauthorized;
  if (!['GET', 'POST', 'DELETE'].includes(request.method ?? '')) {
    return { status: 405, message: 'Methods are GET, POST and DELETE.', headers: { Allow: 'GET, POST, DELETE' } };
  }
  return undefined;
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

/** Rejects a request without the token of this server. */
export function tokenRejection(request: IncomingMessage, tokenDigest: Buffer): Rejection | undefined {
  if (isAuthorized(request, tokenDigest)) return undefined;
  return {
    status: 401,
    message: 'Authorization must be Bearer and the token of this server.',
    headers: { 'WWW-Authenticate': 'Bearer realm="hothouse"' },
  };
}

/** The path of a request's address, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function isAuthorized(request: IncomingMessage, tokenDigest: Buffer): boolean {
  const [value, ...more] = valuesOf(request, 'authorization');
  if (value === undefined || more.length > 0) return false;
  const [scheme = '', credentials = ''] = value.split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(credentials), tokenDigest);
}

/** Digests have equal lengths, so that a comparison does not reveal the length of the token. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
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
