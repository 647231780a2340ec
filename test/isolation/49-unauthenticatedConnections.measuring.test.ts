import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, connectEra, ERAS, type TestClient } from '../mcp/connect.ts';
import { StubEngine } from '../mcp/stubEngine.ts';
import { goodHead, INITIALIZE, linesOf, type Served, sendRaw, serve } from './mcpServer.ts';

const HALF_OPEN = 2_000;
const CALLS = 40;
/** The bound on an answer to a client that has the token. */
const BOUND_MS = 200;

describe(`row 49: ${HALF_OPEN} unauthenticated connections at once`, () => {
  let served: Served;
  let attackers: ReturnType<typeof fork>;
  let early: TestClient;
  beforeAll(async () => {
    served = await serve(new StubEngine());
    early = await connectEra('2025-11-25', served.url, served.token);
    attackers = fork(path.join(import.meta.dirname, 'halfOpen.mjs'), [String(served.port), String(HALF_OPEN)]);
    await once(attackers, 'message');
  });
  afterAll(async () => {
    attackers.kill('SIGKILL');
    await once(attackers, 'exit');
    await served.dispose();
  });

  async function times(request: () => Promise<unknown>): Promise<number[]> {
    const taken: number[] = [];
    for (let n = 0; n < CALLS; n += 1) {
      const startedAt = performance.now();
      await request();
      taken.push(performance.now() - startedAt);
    }
    return taken.sort((a, b) => a - b);
  }

  function expectQuick(taken: readonly number[]): void {
    expect(taken[Math.floor(CALLS * 0.95)]).toBeLessThanOrEqual(BOUND_MS);
  }

  it('are limited to 512', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    attackers.send('how many');
    const [nowOpen] = await once(attackers, 'message');
    // The latest ones are about to be closed.
    expect(nowOpen).toBeLessThan(1_000);
  });

  // Measure a machine that others use too.
  it('do not delay an earlier client', { retry: 2 }, async () => {
    expectQuick(await times(() => call(early, 'list_sessions')));
  });

  it('do not keep out a new client', { retry: 2 }, async () => {
    const taken = await times(async () => {
      const { status } = await sendRaw(served.port, linesOf(goodHead(served)), INITIALIZE);
      expect(status).toBe(200);
    });
    expectQuick(taken);
  });

  it.each(ERAS)('do not disturb a client of %s', async (era) => {
    const client = await connectEra(era, served.url, served.token);
    for (let n = 0; n < CALLS; n += 1) expect((await call(client, 'list_sessions')).isError).toBe(false);
    await client.close();
  });
});

describe('row 49: the limit of connections', () => {
  it('drops the oldest unauthenticated connections, and none that has shown the token', async () => {
    const served = await serve(new StubEngine(), { maxUnauthenticated: 3 });
    const known = await arrive(served.port);
    const head = [...linesOf(goodHead(served)), `Content-Length: ${INITIALIZE.length}`];
    known.socket.write(`${head.join('\r\n')}\r\n\r\n${INITIALIZE}`);
    await once(known.socket, 'data');
    const unauthenticated = [];
    for (let n = 0; n < 6; n += 1) unauthenticated.push(await arrive(served.port));
    while (unauthenticated.filter(({ isClosed }) => isClosed()).length < 3) await new Promise((r) => setTimeout(r, 5));
    expect(unauthenticated.map(({ isClosed }) => isClosed())).toEqual([true, true, true, false, false, false]);
    expect(known.isClosed()).toBe(false);
    await served.dispose();
  });
});

/** A connection that has been made. */
async function arrive(port: number): Promise<{ readonly socket: Socket; isClosed(): boolean }> {
  const socket = connect(port, '127.0.0.1');
  let closed = false;
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, isClosed: () => closed };
}
