/** Where a Docker Engine listens. */
export type Address =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly secure: boolean }
  | { readonly kind: 'ssh'; readonly host: string; readonly port: number; readonly user: string };

/** Reads an address as in DOCKER_HOST; `secure` asks for TLS over TCP. Null when it is not one. */
export function parseAddress(text: string, secure: boolean): Address | null {
  if (text.startsWith('unix://')) return socket(text.slice('unix://'.length));
  if (text.startsWith('npipe://')) return socket(text.slice('npipe://'.length));
  if (text.startsWith('/')) return socket(text);
  return parseUrl(text.includes('://') ? text : `tcp://${text}`, secure);
}

function socket(path: string): Address | null {
  return path ? { kind: 'socket', path } : null;
}

function parseUrl(text: string, secure: boolean): Address | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!url.hostname) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'ssh:') {
    return { kind: 'ssh', host, port: Number(url.port || 22), user: decodeURIComponent(url.username) };
  }
  if (!['tcp:', 'http:', 'https:'].includes(url.protocol)) return null;
  const tls = secure || url.protocol === 'https:' || url.port === '2376';
  return { kind: 'tcp', host, port: Number(url.port || (tls ? 2376 : 2375)), secure: tls };
}
