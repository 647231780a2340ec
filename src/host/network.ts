/** What a container reaches beside itself: nothing, whatever Docker's bridge reaches, or some hosts through a proxy. */
export type ContainerNetwork = 'none' | 'bridge' | ProxiedNetwork;

/** A network that consists of a proxy: the container has no interface but its own loopback, and the proxy's socket. */
export interface ProxiedNetwork {
  /** Image of the proxy. */
  readonly proxyImage: string;
  readonly hosts: readonly AllowedHost[];
  /** The proxy that this machine reaches the network through; null where it needs none. */
  readonly upstream: UpstreamProxy | null;
  /** Certificates that the machine trusts, as PEM; empty: those of the image. */
  readonly certificates: string;
}

/** A host that may be reached. */
export interface AllowedHost {
  /** In lower case. */
  readonly name: string;
  /** Its subdomains are meant, not itself. */
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
  /** It may have an address of a private network. */
  readonly mayBePrivate: boolean;
}

/** A proxy that another proxy uses. */
export interface UpstreamProxy {
  readonly host: string;
  readonly port: number;
  /** `name:password`, both percent-encoded, or empty. */
  readonly login: string;
  /** Names of hosts that are reached without it, each with its subdomains. */
  readonly except: readonly string[];
}

/**
 * Of a sandbox's own network, which nothing but itself uses. Buffers of a connection have at most 512 KB, so that a
 * sender waits before the kernel holds much; a closed connection is forgotten at once and keeps no port for a minute.
 */
export const LOOPBACK_ONLY = {
  'net.ipv4.tcp_rmem': '4096 131072 524288',
  'net.ipv4.tcp_wmem': '4096 16384 524288',
  'net.ipv4.tcp_max_tw_buckets': '0',
};
