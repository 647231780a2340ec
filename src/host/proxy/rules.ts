import type { AllowedHost, ProxiedNetwork, UpstreamProxy } from '../network.ts';

/** Where a container finds its proxy's socket and certificates. */
export const PROXY_FOLDER = '/run/hothouse';
/** Where programs in it find the proxy: the agent forwards from there to the socket. */
const PROXY_ADDRESS = 'http://127.0.0.1:3128';
const CERTIFICATES = `${PROXY_FOLDER}/certificates.pem`;

/** The environment variables with the address of the proxy. */
export function proxyAddress(): Record<string, string> {
  const ownHosts = 'localhost,127.0.0.1,::1';
  const address = { HTTP_PROXY: PROXY_ADDRESS, HTTPS_PROXY: PROXY_ADDRESS, NO_PROXY: ownHosts };
  // Some programs read one spelling only.
  return {
    ...address,
    ...Object.fromEntries(Object.entries(address).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/** The environment variables by which programs use the proxy. */
export function proxyVariables({ certificates }: ProxiedNetwork): Record<string, string> {
  const trust = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'PIP_CERT', 'NODE_EXTRA_CA_CERTS'];
  return {
    ...proxyAddress(),
    // Node.js ignores the others without it.
    NODE_USE_ENV_PROXY: '1',
    ...(certificates && Object.fromEntries(trust.map((name) => [name, CERTIFICATES]))),
  };
}

/** The files that `images/proxy/start.sh` reads from its stdin: name → text. */
export function proxyFiles({ hosts, upstream, certificates }: ProxiedNetwork): Record<string, string> {
  const resolved = [
    ...hosts.filter(({ mayBePrivate, isWildcard }) => mayBePrivate && !isWildcard),
    ...listOf(upstream),
  ];
  return {
    'rules.conf': [...hosts.flatMap(hostRules), ...accessRules(hosts), ...upstreamRules(upstream), ''].join('\n'),
    'private-hosts': resolved.map((host) => `${'name' in host ? host.name : host.host}\n`).join(''),
    ...(certificates && { 'certificates.pem': certificates }),
  };
}

function listOf<T>(value: T | null): T[] {
  return value === null ? [] : [value];
}

function hostRules({ name, isWildcard, ports }: AllowedHost, index: number): string[] {
  const subdomains = `^([a-z0-9_-]+\\.)+${name.replaceAll('.', '\\.')}\\.?$`;
  return [
    // Without `-n` an address would be looked up for its name.
    `acl host${index} ${isWildcard ? `dstdom_regex -n -i ${subdomains}` : `dstdomain -n ${name}`}`,
    `acl port${index} port ${ports.join(' ')}`,
    `acl place${index} all-of host${index} port${index}`,
  ];
}

/** Names come first: a name that is not allowed is never looked up, and so carries nothing to a name server. */
function accessRules(hosts: readonly AllowedHost[]): string[] {
  const all = (kind: string) => hosts.map((_, index) => ` ${kind}${index}`).join('');
  const mayBePrivate = hosts.flatMap((host, index) => (host.mayBePrivate ? [` host${index}`] : []));
  if (hosts.length === 0) return ['http_access deny all because_host'];
  return [
    `acl named any-of${all('host')}`,
    `acl placed any-of${all('place')}`,
    'http_access deny !named because_host',
    'http_access deny !placed because_port',
    'http_access deny reserved because_address',
    ...(mayBePrivate.length > 0
      ? [
          `acl may_be_private any-of${mayBePrivate.join('')}`,
          'http_access deny private !may_be_private because_address',
        ]
      : ['http_access deny private because_address']),
    'http_access allow placed',
  ];
}

function upstreamRules(upstream: UpstreamProxy | null): string[] {
  if (upstream === null) return [];
  const { host, port, login, except } = upstream;
  return [
    `cache_peer ${host} parent ${port} 0 no-query no-digest default${login && ` login=${login}`}`,
    ...(except.length > 0
      ? [
          `acl without_upstream dstdomain -n ${except.map((name) => `.${name}`).join(' ')}`,
          'always_direct allow without_upstream',
        ]
      : []),
    'never_direct allow all',
  ];
}
