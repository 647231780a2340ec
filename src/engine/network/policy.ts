import type { ContainerNetwork, UpstreamProxy } from '../../host/network.ts';
import type { ImageSource } from '../deps.ts';
import type { Options } from '../options.ts';
import { parseHost } from './hostPattern.ts';

/** Settings of this machine: its proxy and its certificates. Looking them up takes time. */
export type MachineSource = () => Promise<Pick<ImageSource, 'buildArgs' | 'files'>>;

/** What the sandboxes of these options reach. */
export async function sandboxNetwork(options: Options['network'], machine: MachineSource): Promise<ContainerNetwork> {
  if (options.policy === 'full') return 'bridge';
  if (options.policy !== 'allow') return 'none';
  return proxied(options, [], machine);
}

/**
 * What a container reaches that installs packages: with the policies `packages` and `allow` the registries and the allowed
 * hosts, otherwise whatever Docker's bridge reaches.
 */
export async function installerNetwork(
  options: Options['network'],
  registries: () => Promise<readonly string[]>,
  machine: MachineSource,
): Promise<ContainerNetwork> {
  if (options.policy === 'none' || options.policy === 'full') return 'bridge';
  return proxied(options, await registries(), machine);
}

async function proxied(
  { policy, allow, privateHosts, proxyImage, upstreamProxy, noProxy }: Options['network'],
  registries: readonly string[],
  machine: MachineSource,
): Promise<ContainerNetwork> {
  const { buildArgs, files = {} } = await machine();
  const mayBePrivate = new Set(privateHosts.map((pattern) => pattern.toLowerCase()));
  return {
    proxyImage,
    hosts: [
      ...(policy === 'allow' ? allow : []).map((host) => parseHost(host, mayBePrivate.has(host.toLowerCase()))),
      // The machine's own settings name them, often in its own network.
      ...registries.map((host) => parseHost(host, true)),
    ],
    upstream: upstreamOf(upstreamProxy ? { HTTPS_PROXY: upstreamProxy, NO_PROXY: noProxy } : buildArgs),
    certificates: files['machine/ca-certificates.crt'] ?? '',
  };
}

/** The proxy in the variables of a machine; null for none, and for one that Squid cannot use. */
function upstreamOf(variables: Readonly<Record<string, string>>): UpstreamProxy | null {
  const address = variables.HTTPS_PROXY || variables.HTTP_PROXY || '';
  const text = address.includes('://') ? address : `http://${address}`;
  if (!address || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password } = new URL(text);
  const except = (variables.NO_PROXY ?? '').split(/[\s,]+/).map((name) => name.replace(/^\*?\./, ''));
  if (protocol !== 'http:' || except.includes('*')) return null;
  return {
    host: hostname,
    port: Number(port || 80),
    // Both stay encoded: Squid decodes them.
    login: username ? `${username}:${password}` : '',
    except: except.filter((name) => /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(name)),
  };
}
