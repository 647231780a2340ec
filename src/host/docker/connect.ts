import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { Disposable } from '../../base/disposable.ts';
import type { Candidate, DiscoveryEnvironment } from './candidates.ts';

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

/** A connection to one Docker Engine. Disposing it ends its requests, except for attached containers. */
export interface Connection extends Disposable {
  /** As in DOCKER_HOST, for messages. */
  readonly host: string;
  readonly docker: Docker;
}

/**
 * A client for the candidate, or null when its address is malformed. Nothing is sent yet; rejects on unreadable
 * certificates.
 */
export async function connect(candidate: Candidate, env: DiscoveryEnvironment['env']): Promise<Connection | null> {
  const address = parseAddress(candidate.host, candidate.secure);
  if (!address) return null;
  const secure = address.kind === 'tcp' && address.secure;
  const tls = secure ? await certificates(candidate.certificates) : NO_TLS;
  // No connection is kept for later: one that Docker closed meanwhile would fail a call that did nothing wrong.
  const agent = secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false });
  const options = { ...UNSET, ...target(address, env), ...tls, agent };
  return { host: candidate.host, docker: new Docker(options), dispose: () => agent.destroy() };
}

const NO_TLS = { ca: undefined, cert: undefined, key: undefined };

// The client takes missing keys from the environment of the process, so every key is set here.
const UNSET = { socketPath: undefined, host: undefined, port: undefined, username: undefined, protocol: undefined };

function target(address: Address, env: DiscoveryEnvironment['env']): Docker.DockerOptions {
  if (address.kind === 'socket') return { socketPath: address.path, protocol: 'http' };
  if (address.kind === 'tcp') {
    return { host: address.host, port: address.port, protocol: address.secure ? 'https' : 'http' };
  }
  const { SSH_AUTH_SOCK: agent } = env;
  const username = address.user || env.USER;
  return { host: address.host, port: address.port, username, protocol: 'ssh', sshOptions: agent ? { agent } : {} };
}

async function certificates(folder: string): Promise<Pick<Docker.DockerOptions, 'ca' | 'cert' | 'key'>> {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFile(join(folder, name))),
  );
  return { ca, cert, key };
}
