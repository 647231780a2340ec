import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

/** What stays in the network namespace after every process has ended. */
const LINGER = {
  'a connection that waits to be forgotten': `
import socket
server = socket.create_server(("127.0.0.1", 4242))
client = socket.create_connection(("127.0.0.1", 4242))
other, _ = server.accept()
other.close(), client.close(), server.close()`,
  'the same of IPv6': `
import socket
server = socket.create_server(("::ffff:127.0.0.1", 4242), family=socket.AF_INET6, dualstack_ipv6=True)
client = socket.create_connection(("::ffff:127.0.0.1", 4242))
other, _ = server.accept()
other.close(), client.close(), server.close()`,
  'an unread end': `
import socket
server = socket.create_server(("127.0.0.1", 4242))
client = socket.create_connection(("127.0.0.1", 4242))
other, _ = server.accept()
client.sendall(b"x" * 100_000)
client.close()`,
  'a flow label': `
import socket, struct
label = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
address = socket.inet_pton(socket.AF_INET6, "::1")
# struct in6_flowlabel_req: address, label, action get, share, flags create, expires, linger.
label.setsockopt(socket.IPPROTO_IPV6, 32, struct.pack("16sIBBHHHI", address, socket.htonl(0x4242), 0, 1, 1, 60, 60, 0))`,
};

const LOOK = `
import re, socket
def count(path):
    try: return len(open(path).read().splitlines()) - 1
    except FileNotFoundError: return 0
seen = [count("/proc/net/" + name) for name in ("tcp", "tcp6", "udp", "udp6", "raw", "ip6_flowlabel")]
seen.append(int(re.search(r"tw (\\d+)", open("/proc/net/sockstat").read())[1]))
with socket.create_server(("127.0.0.1", 4242), reuse_port=False): pass`;

const isolated = fileFixture(() => isolationEngine());

describe('row 47: lingering network state of a sandbox', () => {
  it.each(Object.entries(LINGER))('never reaches the next run: %s', async (_, code) => {
    expect(await run(isolated, code)).toMatchObject({ status: 'ok', error: null });
    expect(await look(isolated, LOOK)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('does not include a closed connection: its port is free and the sandbox stays', async () => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    for (let round = 0; round < 3; round += 1) {
      await run(isolated, LINGER['a connection that waits to be forgotten']);
      await run(isolated, LINGER['the same of IPv6']);
    }
    expect(await look(isolated, LOOK)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it('does not include connections that the server closed', async () => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    await run(isolated, 'import socket\nends = socket.socketpair()\nsocket.create_server(("127.0.0.1", 4242)).close()');
    await look(isolated, 'seen = 1');
    expect(sandboxes(isolated)).toEqual(before);
  });
});
