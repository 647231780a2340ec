import { z } from 'zod';
import { formatList } from '../../base/list.ts';
import type { Options } from '../options.ts';
import type { NetworkInfo } from '../types.ts';
import { HostPattern } from './hostPattern.ts';

/** As many as a question to a person can name. */
const MAX_HOSTS = 30;
/** Names of the proxy's own container. */
const LOCAL = /(?:^|\.)(?:localhost|localdomain)(?::\d+)?$/i;

/** A host in an environment's definition: a full name, or the subdomains of one. */
const EnvironmentHost = HostPattern.refine((host) => host.replace('*.', '').includes('.') && !LOCAL.test(host), {
  error: 'Use the full name of a host.',
});

/** What the sandboxes of an environment reach, as its definition says it. */
export const EnvironmentNetwork = z
  .union([
    z.enum(['none', 'packages', 'full']),
    z.strictObject({
      allow: z
        .array(EnvironmentHost)
        .min(1, { error: 'Name a host, or use none.' })
        .max(MAX_HOSTS, { error: `There are more than ${MAX_HOSTS} hosts.` })
        .describe('Hosts: example.org, *.example.org for its subdomains, example.org:8443 for another port.'),
    }),
  ])
  .default('packages')
  .describe(
    'none: nothing, and nothing is installed into its sessions. packages: nothing, but an installer may, from the package indexes. allow: these hosts, through a proxy. full: whatever Docker reaches. The last two need the consent of a person.',
  );
export type EnvironmentNetwork = z.output<typeof EnvironmentNetwork>;

/** Whether code in such an environment reaches anything, which a person has to agree to. */
export function needsConsent(network: EnvironmentNetwork): boolean {
  return network === 'full' || typeof network === 'object';
}

/** The same for equal policies: the order and the case of hosts do not count. */
export function networkKey(network: EnvironmentNetwork): unknown {
  return typeof network === 'object' ? { allow: hostsOf(network) } : network;
}

/** What is reached, in a few words: `example.org and *.example.com`. */
export function formatEnvironmentNetwork(network: EnvironmentNetwork): string {
  if (typeof network === 'object') return formatList(hostsOf(network), 'and');
  return network === 'full' ? 'every host, those of your own network included' : 'no host';
}

/** The policy and its hosts as views have them. */
export function environmentPolicy(network: EnvironmentNetwork): Pick<NetworkInfo, 'policy' | 'allow'> {
  return typeof network === 'object' ? { policy: 'allow', allow: hostsOf(network) } : { policy: network, allow: [] };
}

/**
 * The options for an environment's sandboxes and installers: its own policy replaces that of the machine. `packages`, the
 * default, leaves it. Which hosts may have private addresses, only the machine's options say.
 */
export function withEnvironmentNetwork<T extends Pick<Options, 'network'>>(
  options: T,
  network: EnvironmentNetwork | undefined,
): T {
  if (network === undefined || network === 'packages') return options;
  return { ...options, network: { ...options.network, ...environmentPolicy(network) } };
}

function hostsOf({ allow }: Extract<EnvironmentNetwork, object>): string[] {
  return [...new Set(allow.map((host) => host.toLowerCase()))].sort();
}
