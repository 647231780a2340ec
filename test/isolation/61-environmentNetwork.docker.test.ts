import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentInput } from '../../src/engine/environment/definition.ts';
import { NetworkConsent } from '../../src/engine/network/consent.ts';
import { bridgeGateway } from '../bridgeGateway.ts';
import { type Isolated, isolationEngine, look, OWNER, run } from './harness.ts';

/** What comes to servers of this machine; nothing may, but to the allowed names. */
const arrivals: string[] = [];
/** Redirects to whatever the query names. */
const web = createServer(({ method, url = '', headers }, response) => {
  arrivals.push(`${method} ${headers.host}`);
  const target = new URL(url, 'http://x').searchParams.get('to');
  if (target === null) response.end('reached');
  else response.writeHead(302, { location: target }).end();
});
const other = createServer((_, response) => response.end('another port'));
other.on('connection', () => arrivals.push('another port'));
const portOf = (server: typeof web) => (server.address() as AddressInfo).port;

const TAG = `hothouse/proxy-test:${randomBytes(6).toString('hex')}`;
const NAMES = ['lab', 'quiet', 'sealed'].map((name) => `${name}-${randomBytes(4).toString('hex')}`);
const [LAB = '', QUIET = '', SEALED = ''] = NAMES;
let gateway: string;
let isolated: Isolated;

function docker(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8', input });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** A proxy whose name servers have these addresses. */
function buildProxy(addresses: Readonly<Record<string, string>>): void {
  const hosts = Object.entries(addresses).map(([host, address]) => `${address} ${host}`);
  const steps = [
    `printf '${hosts.join('\\n')}\\n' >/opt/hothouse/hosts`,
    "sed -i '1i hosts_file /opt/hothouse/hosts' /opt/hothouse/squid.conf",
    `sed -i 's#getent ahostsv4 "$host"#sed -n "s/ $host$//p" /opt/hothouse/hosts#' /opt/hothouse/start.sh`,
  ];
  const lines = ['FROM hothouse/proxy:latest', ...steps.map((step) => `RUN ${step}`)];
  docker(['build', '--quiet', '--tag', TAG, '-'], `${lines.join('\n')}\n`);
}

function definition(name: string, network: EnvironmentInput['network']): EnvironmentInput {
  return { name, language: 'python', variables: { NAME: name }, network };
}

/** Creates an environment; somebody agrees to its network. */
async function create(input: EnvironmentInput, isAgreed = true) {
  const consent = (await NetworkConsent.ask(input, async () => isAgreed)) ?? undefined;
  return isolated.engine.environments.create(input, { replace: true, consent });
}

/** Names with IPv6 addresses alone, which the proxy does not look up. */
const SIX = /^(?:six|cloud)\./;

const FETCH = `
import urllib.request, urllib.error
seen = []
for url in urls:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer: seen.append([answer.status, answer.read().decode()])
    except urllib.error.HTTPError as error: seen.append([error.code, error.read().decode()[:9]])
    except Exception as error: seen.append([0, str(error)])`;
/** Sends requests as they are; keeps the status of each answer, 0 for none. */
const RAW = `
import socket
seen = []
for text in requests:
    with socket.create_connection(("127.0.0.1", 3128), 20) as link:
        try:
            link.sendall(text.encode("utf-8", "surrogateescape"))
            seen.append(int((link.recv(4096).split() or [0, 0])[1]))
        except OSError: seen.append(0)`;

beforeAll(async () => {
  for (const server of [web, other]) server.listen(0, '0.0.0.0');
  await Promise.all([web, other].map((server) => once(server, 'listening')));
  gateway = bridgeGateway();
  buildProxy({
    ...{ 'allowed.test': gateway, 'other.test': gateway, 'wild.test': gateway, 'a.wild.test': gateway },
    ...{ 'private.wild.test': '10.1.2.3', 'meta.wild.test': '169.254.169.254', 'own.wild.test': '127.0.0.1' },
    ...{ 'zero.wild.test': '0.0.0.0', 'group.wild.test': '224.0.0.1', 'shared.wild.test': '100.100.100.200' },
    ...{ 'six.wild.test': '::1', 'mapped.wild.test': '::ffff:127.0.0.1', 'cloud.wild.test': 'fd00:ec2::254' },
    'a.wild.test.evil.test': gateway,
    'xn--e1afmkfd.test': gateway,
  });
  const privateHosts = [`allowed.test:${portOf(web)}`];
  isolated = await isolationEngine({ network: { policy: 'none', privateHosts, proxyImage: TAG } });
  const allow = [`allowed.test:${portOf(web)}`, `*.wild.test:${portOf(web)}`];
  for (const input of [definition(LAB, { allow }), definition(QUIET, 'packages'), definition(SEALED, 'none')]) {
    expect(await create(input)).toMatchObject({ ok: true });
  }
}, 120_000);
afterAll(async () => {
  for (const name of NAMES) await isolated.engine.environments.remove(name);
  await isolated.dispose();
  for (const server of [web, other]) server.close();
  docker(['image', 'rm', '--force', TAG]);
});

const fetched = (urls: string[]) => look(isolated, FETCH, { environment: LAB, state: { urls } });

describe('row 61: an environment whose hosts a person has agreed to', () => {
  it('reaches them, and no other environment does', async () => {
    arrivals.length = 0;
    const url = `http://allowed.test:${portOf(web)}/`;
    expect(await fetched([url])).toEqual([[200, 'reached']]);
    expect(arrivals).toEqual([`GET allowed.test:${portOf(web)}`]);
    const code = 'import os\nseen = [sorted(os.listdir("/sys/class/net")), os.path.exists("/run/hothouse/proxy")]';
    for (const environment of [QUIET, SEALED, undefined]) {
      const rest = environment === undefined ? {} : { environment };
      expect(await look(isolated, code, rest)).toEqual([['lo'], false]);
      const answers = await look(isolated, FETCH, { ...rest, state: { urls: [url] } });
      expect(answers).toEqual([[0, expect.stringContaining('resolution')]]);
    }
  });

  it('reaches nothing by 44 other spellings of hosts, and by names that lead to addresses of the machine', async () => {
    arrivals.length = 0;
    const hosts = [
      ...['other.test', 'wild.test', 'xwild.test', 'a.wild.test.evil.test', 'a.allowed.test', 'allowed.test.evil.test'],
      ...['private.wild.test', 'meta.wild.test', 'own.wild.test', 'zero.wild.test', 'group.wild.test', 'six.wild.test'],
      ...['shared.wild.test', 'mapped.wild.test', 'cloud.wild.test', 'a.wild.test', 'A.WILD.TEST', 'a.wild.test.'],
      ...['localhost', 'localhost.', 'localhost.localdomain', '127.0.0.1', '127.1', '2130706433', '0x7f000001'],
      ...['0177.0.0.1', '0', '0.0.0.0', '169.254.169.254', '169.254.169.254.', '2852039166', '0xa9fea9fe'],
      ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]'],
      ...['100.100.100.200', '10.0.0.1', '192.168.0.1', '172.17.0.1', gateway, 'xn--e1afmkfd.test'],
    ];
    expect(hosts.length).toBe(44);
    const requests = hosts.map((host) => `GET http://${host}:${portOf(web)}/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n`);
    const statuses = (await look(isolated, RAW, { environment: LAB, state: { requests } })) as number[];
    const open = hosts.filter(
      (_, index) => ![400, 403, ...(SIX.test(hosts[index] ?? '') ? [503] : [])].includes(statuses[index] ?? 200),
    );
    expect(open).toEqual([]);
    expect(arrivals).toEqual([]);
  });

  it('reaches nothing by forged requests: other ports, tunnels, logins, characters, lines within lines', async () => {
    arrivals.length = 0;
    const [port, another] = [portOf(web), portOf(other)];
    const lines = [
      ...[another, 22, 25, 53, 80, 443, 2375, 3128].map((to) => `CONNECT allowed.test:${to} HTTP/1.1`),
      ...['other.test', gateway, '127.0.0.1', '[::1]', '169.254.169.254'].map((to) => `CONNECT ${to}:${port} HTTP/1.1`),
      'CONNECT allowed.test HTTP/1.1',
      `GET http://allowed.test:${another}/ HTTP/1.1`,
      `GET http://allowed.test:${port}@other.test:${another}/ HTTP/1.1`,
      `GET http://allowed.test%00.evil.test:${port}/ HTTP/1.1`,
      `GET http://allowed.test%2eevil.test:${port}/ HTTP/1.1`,
      `GET http://other.test:${port}/#allowed.test HTTP/1.1`,
      `GET http://other.test:${port}?allowed.test HTTP/1.1`,
      `GET http://аllowed.test:${port}/ HTTP/1.1`,
      `GET http://other。test:${port}/ HTTP/1.1`,
      `GET https://allowed.test:${port}/ HTTP/1.1`,
      `GET gopher://allowed.test:${port}/ HTTP/1.1`,
      `GET ftp://allowed.test:${port}/ HTTP/1.1`,
      `GET cache_object://allowed.test/info HTTP/1.1`,
      `GET urn:allowed.test:${port} HTTP/1.1`,
      `GET //other.test:${port}/ HTTP/1.1`,
      `GET http://other.test:${port}/ HTTP/1.0`,
      `GET http://allowed.test:0/ HTTP/1.1`,
      `GET http://allowed.test:65536/ HTTP/1.1`,
      `GET http://allowed.test:${port + 65_536}/ HTTP/1.1`,
    ];
    const requests = lines.map((line) => `${line}\r\nHost: allowed.test:${port}\r\n\r\n`);
    const statuses = (await look(isolated, RAW, { environment: LAB, state: { requests } })) as number[];
    const open = lines.filter((_, index) => ![0, 400, 403, 501, 503].includes(statuses[index] ?? 200));
    expect(open).toEqual([]);
    expect(arrivals).toEqual([]);
  });

  it('goes to the allowed host and port where a request could be read in two ways', async () => {
    arrivals.length = 0;
    const [port, another] = [portOf(web), portOf(other)];
    const places = [`allowed.test:${port}:${another}`, `allowed.test:${port}@other.test:${another}`];
    const lines = [
      ...places.map((place) => `CONNECT ${place} HTTP/1.1`),
      `GET http://other.test:${another}\\@allowed.test:${port}/ HTTP/1.1`,
    ];
    const requests = lines.map((line) => `${line}\r\nHost: other.test:${another}\r\n\r\n`);
    await look(isolated, RAW, { environment: LAB, state: { requests } });
    expect(arrivals.filter((arrival) => arrival !== `GET allowed.test:${port}`)).toEqual([]);
  });

  it('follows no redirect of an allowed host out of its hosts', async () => {
    arrivals.length = 0;
    const start = `http://allowed.test:${portOf(web)}/?to=`;
    const targets = [`http://other.test:${portOf(web)}/`, `http://allowed.test:${portOf(other)}/`];
    const addresses = ['169.254.169.254/latest/meta-data/', '127.0.0.1:3128/', `${gateway}:${portOf(other)}/`];
    const urls = [...targets, ...addresses.map((address) => `http://${address}`)];
    const answers = (await fetched(urls.map((url) => start + encodeURIComponent(url)))) as [number, string][];
    // urllib itself does not use the proxy for 127.0.0.1, where the proxy's forwarder listens.
    expect(
      answers.map(([status]) => (status === 0 ? 403 : status)).filter((status) => status !== 403 && status !== 400),
    ).toEqual([]);
    expect(new Set(arrivals)).toEqual(new Set([`GET allowed.test:${portOf(web)}`]));
  });

  it('shows its decisions as those of the environment', async () => {
    await fetched([`http://allowed.test:${portOf(web)}/`, 'http://other.test/']);
    const decisions = () => isolated.engine.snapshot().network.decisions;
    for (const [host, denied] of [['allowed.test', null] as const, ['other.test', 'host'] as const]) {
      await expect.poll(decisions).toContainEqual(expect.objectContaining({ environment: LAB, host, denied }));
    }
    expect(decisions().filter(({ environment }) => environment !== LAB)).toEqual([]);
  });

  it('loses its hosts with a definition that nobody has agreed to, and keeps those of its consent', async () => {
    arrivals.length = 0;
    const wide = definition(LAB, { allow: [`allowed.test:${portOf(web)}`, `other.test:${portOf(web)}`] });
    for (const attempt of [
      () => create(wide, false),
      () => create({ ...wide, network: 'full' }, false),
      () => isolated.engine.environments.create(wide, { replace: true, isApproved: true, by: OWNER }),
    ]) {
      expect(await attempt()).toMatchObject({ ok: false, error: { kind: 'needs_consent' } });
    }
    expect(await fetched([`http://other.test:${portOf(web)}/`])).toEqual([[403, 'Hothouse:']]);
    expect(await create(definition(LAB, 'none'))).toMatchObject({ ok: true });
    const answers = await fetched([`http://allowed.test:${portOf(web)}/`]);
    expect(answers).toEqual([[0, expect.stringContaining('resolution')]]);
    expect(arrivals).toEqual([]);
    expect((await run(isolated, 'print(1)', { environment: LAB })).stdout).toBe('1\n');
  });
});
