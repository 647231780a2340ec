import { describe, expect, it } from 'vitest';
import { HostPattern, parseHost } from '../../../src/engine/network/hostPattern.ts';
import { installerNetwork, sandboxNetwork } from '../../../src/engine/network/policy.ts';
import { DEFAULT_OPTIONS, Options } from '../../../src/engine/options.ts';

const MACHINE = async () => ({ buildArgs: {}, files: { 'machine/ca-certificates.crt': 'PEM' } });
const networkOf = (network: object) => Options.parse({ network }).network;

describe('a host in an option', () => {
  it.each(['example.org', '*.example.org', 'example.org:8443', 'a-b.C1.org', 'intranet'])('can be %s', (pattern) => {
    expect(HostPattern.safeParse(pattern).success).toBe(true);
  });

  it.each([
    ...[
      '',
      '*',
      '*.',
      '.org',
      'http://example.org',
      'example.org/x',
      'example.org:0',
      'example.org:65536',
      '[::1]',
      '::1',
    ],
    ...[
      '127.0.0.1',
      '0x7f000001',
      '10.0.0.1:80',
      'a b',
      'a\nacl x',
      'example.org.',
      '-a.org',
      'user@example.org',
      'a_b.org',
    ],
  ])('cannot be %j', (pattern) => {
    expect(HostPattern.safeParse(pattern).success).toBe(false);
  });

  it('has the ports of HTTP and HTTPS unless it names one', () => {
    expect(parseHost('*.Example.org', false)).toEqual({
      name: 'example.org',
      isWildcard: true,
      ports: [80, 443],
      mayBePrivate: false,
    });
    expect(parseHost('example.org:8443', true)).toMatchObject({ ports: [8443], isWildcard: false, mayBePrivate: true });
  });
});

describe('an upstream proxy in an option', () => {
  const isAccepted = (upstreamProxy: string) => Options.safeParse({ network: { upstreamProxy } }).success;

  it.each(['', 'http://proxy.test', 'http://10.0.0.1:3128/', 'http://me:p%40ss@proxy.test:8080'])(
    'can be %j',
    (text) => {
      expect(isAccepted(text)).toBe(true);
    },
  );

  it.each([
    'proxy.test:3128',
    'https://proxy.test',
    'http://proxy.test:99999999',
    'http://proxy.test/path',
    'http://a b',
    'http://x\nhttp_access allow all',
    'http://me:p ss@proxy.test',
    "http://me:'@proxy.test",
    'http://proxy.test\n',
  ])('cannot be %j', (text) => {
    expect(isAccepted(text)).toBe(false);
  });
});

describe('the network policy', () => {
  it('is none by default, and gives sandboxes nothing', async () => {
    expect(DEFAULT_OPTIONS.network.policy).toBe('none');
    for (const policy of ['none', 'packages']) {
      expect(await sandboxNetwork(networkOf({ policy, allow: ['example.org'] }), MACHINE)).toBe('none');
    }
    expect(await sandboxNetwork(networkOf({ policy: 'full' }), MACHINE)).toBe('bridge');
  });

  it('gives sandboxes the hosts of allow, private only where they are named so', async () => {
    const options = networkOf({ policy: 'allow', allow: ['a.org', 'B.org'], privateHosts: ['b.org'] });
    expect(await sandboxNetwork(options, MACHINE)).toMatchObject({
      hosts: [
        { name: 'a.org', mayBePrivate: false },
        { name: 'b.org', mayBePrivate: true },
      ],
      certificates: 'PEM',
      upstream: null,
    });
  });

  it('limits installers to registries, with allow also to its hosts', async () => {
    const registries = async () => ['index.test'];
    const names = async (policy: string) => {
      const network = await installerNetwork(networkOf({ policy, allow: ['a.org'] }), registries, MACHINE);
      return typeof network === 'object' ? network.hosts.map(({ name }) => name) : network;
    };
    expect(await names('packages')).toEqual(['index.test']);
    expect(await names('allow')).toEqual(['a.org', 'index.test']);
    expect([await names('none'), await names('full')]).toEqual(['bridge', 'bridge']);
  });

  it("uses the machine's own proxy, except for the hosts that need none", async () => {
    const upstreamWith = async (buildArgs: Record<string, string>) => {
      const network = await sandboxNetwork(networkOf({ policy: 'allow' }), async () => ({ buildArgs }));
      return typeof network === 'object' && network.upstream;
    };
    const HTTPS_PROXY = 'http://me:p%40ss@proxy.test:3128';
    expect(await upstreamWith({ HTTPS_PROXY, NO_PROXY: '.corp.test, 10.0.0.1,bad\nname' })).toEqual({
      host: 'proxy.test',
      port: 3128,
      login: 'me:p%40ss',
      except: ['corp.test', '10.0.0.1', 'bad', 'name'],
    });
    const named = networkOf({ policy: 'allow', upstreamProxy: 'http://other.test:8080', noProxy: 'corp.test' });
    const network = await sandboxNetwork(named, async () => ({ buildArgs: { HTTPS_PROXY } }));
    expect(network).toMatchObject({ upstream: { host: 'other.test', port: 8080, login: '', except: ['corp.test'] } });
    expect(await upstreamWith({ HTTPS_PROXY, NO_PROXY: '*' })).toBeNull();
    expect(await upstreamWith({ HTTPS_PROXY: 'socks5://proxy.test' })).toBeNull();
    expect(await upstreamWith({})).toBeNull();
  });
});
