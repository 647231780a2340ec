import { z } from 'zod';
import type { AllowedHost } from '../../host/network.ts';

const PORTS = [80, 443];
const MAX_PORT = 65_535;
/** The last label begins with a letter, so that no address is a name. */
const HOST =
  /^(?:\*\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?$/;

/** A host as options name it: `example.org`, `*.example.org` or `example.org:8443`. */
export const HostPattern = z
  .string()
  .max(255)
  .regex(HOST, {
    error: 'Use a name such as example.org, *.example.org or example.org:8443, in ASCII and without an address.',
  })
  .refine((pattern) => Number(pattern.split(':')[1] ?? 0) <= MAX_PORT, { error: 'There is no such port.' });

/** The host that a `HostPattern` names; without a port it has those of HTTP and HTTPS. */
export function parseHost(pattern: string, mayBePrivate: boolean): AllowedHost {
  const [host = '', port] = pattern.toLowerCase().split(':');
  const isWildcard = host.startsWith('*.');
  return {
    name: isWildcard ? host.slice(2) : host,
    isWildcard,
    ports: port === undefined ? PORTS : [Number(port)],
    mayBePrivate,
  };
}

/** A host as options name it. */
export function formatHost({ name, isWildcard, ports }: AllowedHost): string {
  const [port] = ports;
  return `${isWildcard ? '*.' : ''}${name}${ports.length === 1 && port !== undefined ? `:${port}` : ''}`;
}
