import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OptionsInput } from '../../../src/engine/options.ts';
import { bridgeGateway } from '../../bridgeGateway.ts';
import { type Isolated, isolationEngine, look, sandboxes } from '../../isolation/harness.ts';

const LOGIN = 'ada:p%40ss';
/** What came to the upstream proxy, with the login that it was given. */
const asked: string[] = [];
const web = createServer((_, response) => response.end('reached'));
const webPort = () => (web.address() as AddressInfo).port;

/** A proxy as companies have them: it wants a login, and knows the names of hosts. */
const upstream = createServer(({ url = '', headers, method }, response) => {
  asked.push(`${method} ${url} ${loginOf(headers['proxy-authorization'])}`);
  ask({ port: webPort(), method }, (answer) => answer.pipe(response)).end();
}).on('connect', ({ url, headers }, client: Socket) => {
  asked.push(`CONNECT ${url} ${loginOf(headers['proxy-authorization'])}`);
  const server = connect(webPort(), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(server).pipe(client);
  });
  for (const socket of [client, server]) socket.on('error', () => {});
});
const upstreamPort = () => (upstream.address() as AddressInfo).port;
/** The address of this machine on Docker's bridge. */
let gateway: string;

/** Asks for addresses by the proxy that the environment names; keeps `status, body` of each answer. */
const FETCH = `
import urllib.request, urllib.error
seen = []
for url in urls:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer: seen.append([answer.status, answer.read().decode()])
    except urllib.error.HTTPError as error: seen.append([error.code, ""])`;
const TUNNEL = `
import http.client
link = http.client.HTTPConnection("127.0.0.1", 3128, timeout=30)
link.set_tunnel("allowed.test", 443)
link.request("GET", "/")
seen = link.getresponse().read().decode()`;

beforeAll(async () => {
  web.listen(0, '0.0.0.0');
  upstream.listen(0, '0.0.0.0');
  await Promise.all([once(web, 'listening'), once(upstream, 'listening')]);
  gateway = bridgeGateway();
});
afterAll(() => {
  for (const server of [web, upstream]) server.close();
});

async function withNetwork<T>(network: OptionsInput['network'], use: (isolated: Isolated) => Promise<T>): Promise<T> {
  const isolated = await isolationEngine({ network });
  try {
    return await use(isolated);
  } finally {
    await isolated.dispose();
  }
}

function loginOf(header = ''): string {
  return Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
}

describe('the network policy allow with an upstream proxy', () => {
  const network = () => ({
    policy: 'allow' as const,
    allow: ['allowed.test'],
    upstreamProxy: `http://${LOGIN}@${gateway}:${upstreamPort()}`,
  });

  it('reaches allowed hosts through it alone, with its login', async () => {
    asked.length = 0;
    await withNetwork(network(), async (isolated) => {
      expect(await look(isolated, FETCH, { state: { urls: ['http://allowed.test/x'] } })).toEqual([[200, 'reached']]);
      expect(await look(isolated, TUNNEL)).toBe('reached');
    });
    expect(asked).toEqual(['GET http://allowed.test/x ada:p@ss', 'CONNECT allowed.test:443 ada:p@ss']);
  });

  it('asks it for no host that is not allowed, and gives code no way to it', async () => {
    asked.length = 0;
    const urls = ['http://other.test/', `http://${gateway}:${upstreamPort()}/`];
    await withNetwork(network(), async (isolated) => {
      expect(await look(isolated, FETCH, { state: { urls } })).toEqual([
        [403, ''],
        [403, ''],
      ]);
    });
    expect(asked).toEqual([]);
  });

  it('reaches nothing while it does not answer', async () => {
    const closed = { ...network(), upstreamProxy: `http://${gateway}:1` };
    await withNetwork(closed, async (isolated) => {
      const answers = await look(isolated, FETCH, { state: { urls: ['http://allowed.test/'] } });
      expect([[[502, '']], [[503, '']]]).toContainEqual(answers);
    });
  });
});

describe('the network policy full', () => {
  it("gives each run a sandbox of its own, on Docker's bridge", async () => {
    const code = `
import os, urllib.request
with urllib.request.urlopen(url, timeout=10) as answer: seen = [sorted(os.listdir("/sys/class/net")), answer.read().decode()]`;
    const state = { url: `http://${gateway}:${webPort()}/` };
    await withNetwork({ policy: 'full' }, async (isolated) => {
      const [before] = sandboxes(isolated);
      expect(await look(isolated, code, { state })).toEqual([['eth0', 'lo'], 'reached']);
      await expect.poll(() => sandboxes(isolated)).not.toContain(before);
      expect(await look(isolated, code, { state })).toEqual([['eth0', 'lo'], 'reached']);
      expect(isolated.engine.snapshot().network).toMatchObject({ policy: 'full', decisions: [] });
    });
  });

  it('is not what other policies give', async () => {
    const code = 'import os\nseen = sorted(os.listdir("/sys/class/net"))';
    for (const policy of ['none', 'packages', 'allow'] as const) {
      expect(await withNetwork({ policy }, (isolated) => look(isolated, code))).toEqual(['lo']);
    }
  });
});
