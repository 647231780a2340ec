import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OptionsInput } from '../../src/engine/options.ts';
import { bridgeGateway } from '../bridgeGateway.ts';
import { type Isolated, isolationEngine, look, OWNER, run } from './harness.ts';

/** What comes to servers of this machine; nothing may, but to the allowed one by its name. */
const arrivals: string[] = [];
const web = createServer((request, response) => {
  arrivals.push(`${request.method} ${request.headers.host}`);
  response.end('reached');
});
const raw = createTcpServer(() => arrivals.push('tcp'));
const datagrams = createSocket('udp4').on('message', () => arrivals.push('udp'));

/** The address of this machine on Docker's bridge, as a container sees it. */
let gateway: string;
/** Images of the proxy under test and of weaker ones. */
const built: string[] = [];

function docker(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8', input });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/**
 * An image of the proxy in which the hosts `allowed.test` and `other.test` have the addresses that name servers could give
 * them; `change` is a shell command that weakens it.
 */
function proxyImage(addresses: Readonly<Record<string, string>>, change = 'true'): string {
  const tag = `hothouse/proxy-test:${randomBytes(6).toString('hex')}`;
  const hosts = Object.entries(addresses).map(([host, address]) => `${address} ${host}`);
  // Docker replaces /etc/hosts when a container starts.
  const named = `printf '${hosts.join('\\n')}\\n' >/opt/hothouse/hosts`;
  const squid = "sed -i '1i hosts_file /opt/hothouse/hosts' /opt/hothouse/squid.conf";
  const getent = `sed -i 's#getent ahostsv4 "$host"#sed -n "s/ $host$//p" /opt/hothouse/hosts#' /opt/hothouse/start.sh`;
  const lines = ['FROM hothouse/proxy:latest', ...[named, squid, getent, change].map((step) => `RUN ${step}`)];
  docker(['build', '--quiet', '--tag', tag, '-'], `${lines.join('\n')}\n`);
  built.push(tag);
  return tag;
}

async function withEngine<T>(network: OptionsInput['network'], use: (isolated: Isolated) => Promise<T>): Promise<T> {
  const isolated = await isolationEngine({ network: { policy: 'allow', ...network } });
  try {
    return await use(isolated);
  } finally {
    await isolated.dispose();
  }
}

const webPort = () => (web.address() as AddressInfo).port;
const rawPort = () => (raw.address() as AddressInfo).port;

/** Python that asks for addresses by the proxy, as urllib does, and keeps `status, body` of each answer. */
const FETCH = `
import urllib.request, urllib.error
seen = []
for url in urls:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer: seen.append([answer.status, answer.read().decode()])
    except urllib.error.HTTPError as error: seen.append([error.code, error.read().decode()[:40]])
    except OSError as error: seen.append([0, str(error)])`;

beforeAll(async () => {
  web.listen(0, '0.0.0.0');
  raw.listen(0, '0.0.0.0');
  await Promise.all([once(web, 'listening'), once(raw, 'listening')]);
  await new Promise<void>((resolve) => datagrams.bind(rawPort(), resolve));
  gateway = bridgeGateway();
});
afterAll(() => {
  for (const server of [web, raw, datagrams]) server.close();
  for (const tag of built) docker(['image', 'rm', '--force', tag]);
});

describe('row 60: a sandbox with the network policy allow', () => {
  let isolated: Isolated;
  let allowed: string;
  beforeAll(async () => {
    allowed = `allowed.test:${webPort()}`;
    const image = proxyImage({ 'allowed.test': gateway, 'private.test': gateway, 'meta.test': '169.254.169.254' });
    const hosts = [allowed, `private.test:${webPort()}`, 'meta.test'];
    const privateHosts = [allowed, 'meta.test'];
    isolated = await isolationEngine({ network: { policy: 'allow', allow: hosts, privateHosts, proxyImage: image } });
  });
  afterAll(() => isolated.dispose());
  const fetched = (urls: string[]) => look(isolated, FETCH, { state: { urls } });

  it('reaches an allowed host at its port', async () => {
    arrivals.length = 0;
    expect(await fetched([`http://${allowed}/`])).toEqual([[200, 'reached']]);
    expect(arrivals).toEqual([`GET ${allowed}`]);
  });

  it('reaches no other host, port or address, by whatever spelling', async () => {
    arrivals.length = 0;
    const machine = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
    const hosts = [
      ...['other.test', 'sub.allowed.test', 'allowed.test.evil.test', 'xallowed.test'],
      ...['169.254.169.254', '0x7f000001', '2130706433', '127.1', '0', gateway, 'meta.test', 'private.test'],
      ...machine.filter((address) => !address.includes(':') && !address.startsWith('127.')),
    ];
    const urls = hosts.flatMap((host) => [`http://${host}:${webPort()}/`, `http://${host}/`]);
    const answers = (await fetched([...urls, `http://allowed.test:${rawPort()}/`])) as [number, string][];
    expect(answers.filter(([status]) => status !== 403)).toEqual([]);
    expect(arrivals).toEqual([]);
  });

  it('gets one line that names the option, and the tree gets the decisions', async () => {
    const [[, line]] = (await fetched([`http://other.test/`])) as [[number, string]];
    expect(line).toBe('Hothouse: sandboxes may not reach other.test.'.slice(0, 40));
    await expect
      .poll(() => isolated.engine.snapshot().network.decisions)
      .toContainEqual(expect.objectContaining({ host: 'other.test', port: 80, denied: 'host' }));
    expect(isolated.engine.snapshot().network.decisions).toContainEqual(
      expect.objectContaining({ host: 'allowed.test', port: webPort(), denied: null }),
    );
  });

  it('ends a traceback with one line that says what to do', async () => {
    const code = 'import urllib.request\nurllib.request.urlopen("https://other.test/")';
    const { stderr, error } = await run(isolated, code);
    expect(`${stderr}${error?.message}`).toMatch(/the hosts in the option network\.allow, which the user sets/);
    const direct = await run(isolated, 'import socket\nsocket.getaddrinfo("other.test", 80)');
    expect(`${direct.stderr}${direct.error?.message}`).toContain('network.allow');
  });

  it('has no interface, no route, no names and nothing but the proxy', async () => {
    arrivals.length = 0;
    const code = `
import os, socket
seen = [sorted(os.listdir("/sys/class/net")), open("/proc/net/route").read().splitlines()[1:], sorted(os.listdir("/run/hothouse"))]
def attempt(name, action):
    try: action()
    except OSError: return
    seen.append(name)
attempt("names", lambda: socket.getaddrinfo("allowed.test", 80))
for address in addresses:
    attempt("tcp " + address, lambda: socket.create_connection((address, port), 1))
    attempt("udp " + address, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (address, port)))
    attempt("dns " + address, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (address, 53)))
attempt("icmp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("a file beside the socket", lambda: open("/run/hothouse/x", "w"))
attempt("the socket's name", lambda: os.unlink("/run/hothouse/proxy"))`;
    const state = { addresses: [gateway, '169.254.169.254', '172.17.0.2', '8.8.8.8'], port: rawPort() };
    const seen = (await look(isolated, code, { state })) as unknown[];
    expect(seen.slice(0, 2)).toEqual([['lo'], []]);
    expect(seen.slice(3)).toEqual([]);
    expect(arrivals).toEqual([]);
  });

  it('finds no way through the proxy itself: its administration, other methods and protocols', async () => {
    arrivals.length = 0;
    const requests = [
      'GET http://127.0.0.1:3128/squid-internal-mgr/menu HTTP/1.1\r\nHost: hothouse\r\n\r\n',
      'GET /squid-internal-mgr/menu HTTP/1.1\r\nHost: hothouse\r\n\r\n',
      `GET http://${allowed}/squid-internal-mgr/menu HTTP/1.1\r\nHost: x\r\n\r\n`,
      `TRACE http://${allowed}/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n`,
      `PURGE http://${allowed}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET https://${allowed}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET ftp://${allowed}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`,
      `CONNECT ${gateway}:${rawPort()} HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`,
      `CONNECT allowed.test:${rawPort()} HTTP/1.1\r\n\r\n`,
      ...['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'].map(
        (host) => `GET http://${host}:${webPort()}/ HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`,
      ),
      `GET http://${gateway}:${webPort()}/ HTTP/1.1\r\nHost: ${allowed}\r\n\r\n`,
    ];
    const code = `
import socket
seen = []
for text in requests:
    with socket.create_connection(("127.0.0.1", 3128), 5) as link:
        link.sendall(text.encode())
        seen.append(int(link.recv(4096).split()[1]))`;
    const statuses = (await look(isolated, code, { state: { requests } })) as number[];
    expect(statuses.every((status) => status === 403 || status === 400)).toBe(true);
    expect(arrivals).toEqual([]);
  });

  it('sends the name of the request line, not a forged Host header', async () => {
    arrivals.length = 0;
    const code = `
import socket
with socket.create_connection(("127.0.0.1", 3128), 5) as link:
    link.sendall(b"GET http://" + host.encode() + b"/ HTTP/1.1\\r\\nHost: forged.test\\r\\nConnection: close\\r\\n\\r\\n")
    seen = int(link.recv(4096).split()[1])`;
    expect(await look(isolated, code, { state: { host: allowed } })).toBe(200);
    expect(arrivals).toEqual([`GET ${allowed}`]);
  });

  it('serves one run, and sessions do not see each other', async () => {
    const first = await look(
      isolated,
      'import os\nseen = os.stat("/run/hothouse/proxy").st_ino, open("/proc/self/mountinfo").read()',
    );
    const second = await look(
      isolated,
      'import os\nseen = os.stat("/run/hothouse/proxy").st_ino, open("/proc/self/mountinfo").read()',
    );
    const volumeOf = (seen: unknown) => /volumes\/(\w+)\/_data/.exec(String((seen as unknown[])[1]))?.[1];
    expect(volumeOf(first)).toBeDefined();
    expect(volumeOf(second)).not.toBe(volumeOf(first));
  });

  it('keeps its network in a session, and has none once its proxy is gone', async () => {
    const opened = await isolated.engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const { id } = opened.value;
    const cell = async (code: string) => (await run(isolated, code, { sessionId: id })).stdout;
    const ask = `import urllib.request\ntry: print(urllib.request.urlopen("http://${allowed}/", timeout=5).status)\nexcept OSError: print("closed")`;
    expect(await cell(ask)).toBe('200\n');
    const sandbox = isolated.engine.snapshot().sessions.find((one) => one.id === id)?.sandboxId ?? '';
    const [from] = JSON.parse(docker(['inspect', '--format', '{{json .HostConfig.VolumesFrom}}', sandbox]));
    docker(['kill', String(from).replace(/:ro$/, '')]);
    expect(await cell(ask)).toBe('closed\n');
    expect(await cell('print(1 + 1)')).toBe('2\n');
    await isolated.engine.closeSession(id);
  });

  it('leaves no proxy and no volume', async () => {
    await look(isolated, 'seen = 1');
    const ended = await isolationEngine({ network: { policy: 'allow' } });
    await look(ended, 'seen = 1');
    const ids = await ended.containers();
    expect(ids.length).toBeGreaterThan(0);
    const volumes = ids.flatMap((id) => volumesOf(id));
    await ended.engine.dispose();
    await expect.poll(() => ids.filter((id) => docker(['ps', '-aq', '--no-trunc']).includes(id))).toEqual([]);
    await expect.poll(() => volumes.filter((name) => docker(['volume', 'ls', '-q']).includes(name))).toEqual([]);
  });
});

/** The volumes of a container; none when it has gone meanwhile. */
function volumesOf(id: string): string[] {
  const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}';
  const { stdout } = spawnSync('docker', ['inspect', '--format', format, id], { encoding: 'utf8' });
  return stdout.trim().split(' ').filter(Boolean);
}

describe('row 60: without one of these walls', () => {
  const reached = (network: OptionsInput['network'], url: string) =>
    withEngine(network, (isolated) => look(isolated, FETCH, { state: { urls: [url] } }));
  const rebound = { 'allowed.test': '172.17.0.1' };
  const noAddressCheck = "sed -i 's/^acl private dst .*/acl private dst 255.255.255.254/' /opt/hothouse/squid.conf";
  const noRoutes = "sed -i '/ip route add unreachable/s/.*/true/' /opt/hothouse/start.sh";

  it('a proxy that is deceived about an address still has no route there', async () => {
    arrivals.length = 0;
    const allow = [`allowed.test:${webPort()}`];
    const url = `http://${allow[0]}/`;
    const answer = await reached({ allow, proxyImage: proxyImage({ 'allowed.test': gateway }, noAddressCheck) }, url);
    expect(answer).toEqual([[503, expect.anything()]]);
    expect(arrivals).toEqual([]);
  });

  it('a private address is reached without the check and without the routes', async () => {
    arrivals.length = 0;
    const allow = [`allowed.test:${webPort()}`];
    const image = proxyImage({ ...rebound, 'allowed.test': gateway }, `${noAddressCheck} && ${noRoutes}`);
    expect(await reached({ allow, proxyImage: image }, `http://${allow[0]}/`)).toEqual([[200, 'reached']]);
    expect(arrivals).toEqual([`GET ${allow[0]}`]);
  });

  it('a host that is not allowed is reached without the list', async () => {
    const noList = "sed -i 's#^include /config/rules.conf#http_access allow all#' /opt/hothouse/squid.conf";
    const image = proxyImage({ 'other.test': gateway }, `${noList} && ${noRoutes}`);
    const url = `http://other.test:${webPort()}/`;
    expect(await reached({ allow: [], proxyImage: image }, url)).toEqual([[200, 'reached']]);
    expect(await reached({ allow: [], proxyImage: proxyImage({ 'other.test': gateway }) }, url)).toEqual([
      [403, expect.stringContaining('Hothouse')],
    ]);
  });
});
