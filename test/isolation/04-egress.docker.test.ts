import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Isolated, isolationEngine, look } from './harness.ts';

/** Metadata services, engine APIs, name servers and the world. */
const ELSEWHERE: [string, number][] = [
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254'].map((at): [string, number] => [at, 80]),
  ...['172.17.0.1', '192.168.65.7', '192.168.65.254', '10.0.2.2', '127.0.0.1'].flatMap((at): [string, number][] => [
    [at, 2375],
    [at, 2376],
  ]),
  ...['8.8.8.8', '1.1.1.1', '9.9.9.9', '2606:4700:4700::1111', '127.0.0.11'].map((at): [string, number] => [at, 53]),
];

const INTERFACES = `
import os
lines = open("/proc/net/dev").read().splitlines()[2:]
routes = open("/proc/net/route").read().splitlines()[1:]
listed = os.listdir("/sys/class/net") if os.path.exists("/sys") else ["lo"]
seen = [[line.split(":")[0].strip() for line in lines], listed, routes]`;

const CONNECT = `
import socket, json
connects = []
for address, port in json.loads(targets):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as link:
            link.settimeout(0.5)
            try:
                link.connect((address, port))
                link.send(b"canary")
                # Datagrams to itself leave at once, whether anything receives them or not.
                own = address.startswith("127.") or address == "::1"
                if kind == socket.SOCK_STREAM or not own: connects.append([address, port, int(kind)])
            except OSError: pass
seen = connects`;

const RESOLVE = `
import socket
seen = []
for name in ("example.com", "localhost.localdomain.example", "host.docker.internal", "metadata.google.internal"):
    try: seen.append(socket.getaddrinfo(name, 80))
    except OSError: pass`;

const ABSTRACT = `
import socket
seen = "connected"
with socket.socket(socket.AF_UNIX) as link:
    try: link.connect("\\0" + name)
    except OSError as error: seen = error.errno`;

let isolated: Isolated;
let tcp: Server;
let local: Server;
const udp = createSocket('udp4');
let arrivals = 0;
const arrive = () => {
  arrivals += 1;
};
beforeAll(async () => {
  isolated = await isolationEngine();
  tcp = createServer(arrive).listen(0, '0.0.0.0');
  local = createServer(arrive).listen(`\0hothouse-egress-${process.pid}`);
  await Promise.all([once(tcp, 'listening'), once(local, 'listening')]);
  await new Promise<void>((resolve) => udp.on('message', arrive).bind(portOf(tcp), resolve));
});
afterAll(async () => {
  tcp.close();
  local.close();
  udp.close();
  await isolated.dispose();
});

describe('row 4: egress', () => {
  it('has only the interface lo, and no route', async () => {
    expect(await look(isolated, INTERFACES)).toEqual([['lo'], ['lo'], []]);
  });

  it('reaches no address of the internet, cloud metadata, Docker or this machine', async () => {
    const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const machine = here.map(({ address }): [string, number] => [address.split('%')[0] ?? '', portOf(tcp)]);
    const targets = JSON.stringify([...ELSEWHERE, ...machine]);
    expect(await look(isolated, CONNECT, { state: { targets } })).toEqual([]);
    expect(arrivals).toBe(0);
  });

  it('resolves no name', async () => {
    expect(await look(isolated, RESOLVE)).toEqual([]);
  });

  it("does not reach this machine's abstract sockets", async () => {
    const ECONNREFUSED = 111;
    expect(await look(isolated, ABSTRACT, { state: { name: `hothouse-egress-${process.pid}` } })).toBe(ECONNREFUSED);
    expect(arrivals).toBe(0);
  });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
