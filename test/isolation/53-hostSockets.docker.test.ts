import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { type Isolated, isolationEngine, look, run, sandboxes } from './harness.ts';

/** Connections that are closed while data is under way: the kernel keeps them, and counts them for the whole machine. */
const ORPHANS = `
import socket, time
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
server.bind(("127.0.0.1", 0))
server.listen(4096)
for _ in range(300):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
    client.connect(server.getsockname())
    client.setblocking(False)
    try:
        while True: client.send(b"x" * 4096)
    except BlockingIOError: client.close()
print(open("/proc/net/sockstat").read().split("orphan ")[1].split()[0], flush=True)
time.sleep(60)`;

/** More sockets than one sandbox may have, by several processes: each of them may have 1,024 descriptors. */
const SOCKETS = `
import os, socket, time
for _ in range(4):
    if os.fork() == 0:
        held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(400)]
        time.sleep(60)
time.sleep(60)`;

/** Data under way that nobody reads. */
const UNREAD = `
import socket, time
server = socket.create_server(("127.0.0.1", 0))
held = []
for _ in range(40):
    client = socket.create_connection(server.getsockname())
    held.append((client, server.accept()))
    client.setblocking(False)
    try:
        while True: client.send(b"x" * 65536)
    except BlockingIOError: pass
time.sleep(60)`;

const GREEDY: Owner = { id: 'greedy', kind: 'mcp', label: 'greedy' };

let isolated: Isolated;
beforeAll(async () => {
  isolated = await isolationEngine({ pool: { size: 2 } });
});
afterAll(() => isolated.dispose());

describe("row 53: the kernel's memory for sockets", () => {
  it('is counted for the whole machine in part: an owner who has much of it harms no other', async () => {
    await look(isolated, 'seen = 1');
    const [own] = sandboxes(isolated);
    const stop = new AbortController();
    let ready = (_: string) => {};
    const full = new Promise<string>((resolve) => {
      ready = resolve;
    });
    const request = { language: 'python' as const, owner: GREEDY, code: ORPHANS };
    const running = isolated.engine.run(request, (output) => 'text' in output && ready(output.text), stop.signal);
    expect(Number(await full)).toBeGreaterThan(200);
    for (let round = 0; round < 5; round += 1) {
      expect(await look(isolated, 'seen = 1')).toBe(1);
      expect(sandboxes(isolated)).toContain(own);
    }
    stop.abort();
    expect((await running).status).toBe('interrupted');
  });

  it.each([
    ['sockets', SOCKETS, /more than 1024 sockets/],
    ['data that nobody reads', UNREAD, /more than 64 MB that nobody reads/],
  ])('ends a sandbox that takes too much of it, with the reason: %s', async (_, code, reason) => {
    const result = await run(isolated, code, { timeoutSeconds: 20 });
    expect(result).toMatchObject({ status: 'sandbox_lost', error: { message: expect.stringMatching(reason) } });
    expect(await look(isolated, 'seen = 1')).toBe(1);
  });
});
