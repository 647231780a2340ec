import { describe, expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

/**
 * Connections that are closed while data is under way: the kernel keeps them, and counts them for the whole machine.
 */
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
        held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(600)]
        time.sleep(60)
time.sleep(60)`;

/** Data in flight that is never read. */
const UNREAD = `
import socket, time
server = socket.create_server(("127.0.0.1", 0))
held = []
for _ in range(300):
    client = socket.create_connection(server.getsockname())
    held.append((client, server.accept()))
    client.setblocking(False)
    try:
        while True: client.send(b"x" * 65536)
    except BlockingIOError: pass
time.sleep(60)`;

/** Honest: many senders to one slow reader, one after the other. */
const UPLOADS = `
import asyncio
async def handle(reader, writer):
    async with one_at_a_time:
        while data := await reader.read(65536):
            counts.append(len(data))
            await asyncio.sleep(0.0005)
        writer.close()
async def send(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(128):
        writer.write(b"x" * 65536)
        await writer.drain()
    writer.close()
    await writer.wait_closed()
counts, one_at_a_time = [], asyncio.Lock()
async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    await asyncio.gather(*(send(server.sockets[0].getsockname()[1]) for _ in range(24)))
    while sum(counts) < 24 * 128 * 65536: await asyncio.sleep(0.05)
await main()
seen = sum(counts) >> 20`;

const GREEDY: Owner = { id: 'greedy', kind: 'mcp', label: 'greedy' };

const isolated = fileFixture(() => isolationEngine({ pool: { size: 2 } }));

describe("row 53: the kernel's memory for sockets", () => {
  it('is partly counted for the whole machine: an owner that uses much of it harms no other', async () => {
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

  it('makes honest code wait until its data is read', async () => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    expect(await look(isolated, UPLOADS, { timeoutSeconds: 60 })).toBe(192);
    expect(await look(isolated, 'seen = 1')).toBe(1);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it.each([
    ['sockets', SOCKETS, /ended: its code has more than 2048 sockets\.$/],
    ['data that is never read', UNREAD, /ended: its code has sent more than 64 MB that nobody reads\.$/],
  ])('ends a sandbox that takes too much of it, with the reason: %s', async (_, code, reason) => {
    const result = await run(isolated, code, { timeoutSeconds: 20 });
    expect(result).toMatchObject({ status: 'sandbox_lost', error: { message: expect.stringMatching(reason) } });
    expect(await look(isolated, 'seen = 1')).toBe(1);
  });
});
