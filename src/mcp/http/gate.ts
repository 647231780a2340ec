import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** An answer that turns a request away. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC's; the default is -32000. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Turns away what does not come from a local client that knows the token. Host must be this server by a loopback
 * name, so that a rebound DNS name fails; Origin, which only browsers send, must be this server's own or absent.
 */
export function refusalOf(request: IncomingMessage, port: number, token: string): Refusal | undefined {
  const authorities = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`);
  const [host, ...moreHosts] = valuesOf(request, 'host');
  if (host === undefined || moreHosts.length > 0 || !authorities.includes(host)) {
    return { status: 403, message: `Host must be ${authorities.join(' or ')}.` };
  }
  const [origin, ...moreOrigins] = valuesOf(request, 'origin');
  if (moreOrigins.length > 0 || (origin !== undefined && !authorities.some((it) => origin === `http://${it}`))) {
    return { status: 403, message: 'This Origin is not allowed.' };
  }
  if (request.url?.split('?', 1)[0] !== '/mcp') return { status: 404, message: 'The MCP endpoint is /mcp.' };
  if (!isAuthorized(request, token)) {
    return {
      status: 401,
      message: 'Authorization must be Bearer and the token of this server.',
      headers: { 'WWW-Authenticate': 'Bearer realm="hothouse"' },
    };
  }
  if (!['GET', 'POST', 'DELETE'].includes(request.method ?? '')) {
    return { status: 405, message: 'Methods are GET, POST and DELETE.', headers: { Allow: 'GET, POST, DELETE' } };
  }
  return undefined;
}

function isAuthorized(request: IncomingMessage, token: string): boolean {
  const [value, ...more] = valuesOf(request, 'authorization');
  if (value === undefined || more.length > 0) return false;
  const [scheme = '', credentials = ''] = value.split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(credentials), digest(token));
}

// Digests have one length, so the comparison tells nothing of the token's.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Every value of a header; Node's own view joins or drops duplicates. */
function valuesOf(request: IncomingMessage, name: string): string[] {
  return request.headersDistinct[name] ?? [];
}
