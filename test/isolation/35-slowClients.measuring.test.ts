import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, connectHttp } from '../mcp/connect.ts';
import { engineInMemory, goodHead, linesOf, type Served, serve, statusOf } from './mcpServer.ts';

const MB = 1 << 20;
const HEADERS_MS = 1000;
const REQUEST_MS = 2000;
/** Far more than the server may take to end a connection that is too slow. */
const PATIENCE_MS = 15_000;

describe('row 35: slow clients and huge bodies', () => {
  const engine = engineInMemory();
  let served: Served;
  /** Its limits of time are the product's, so that nothing but its size ends a huge body. */
  let patient: Served;
  let neighbour: Client;
  /** The neighbour's 95th percentile, in ms, while no other client is connected. */
  let quiet: number;
  beforeAll(async () => {
    const limits = { headersTimeoutMs: HEADERS_MS, requestTimeoutMs: REQUEST_MS };
    served = await serve(engine, limits);
    patient = await serve(engine);
    neighbour = await connectHttp(served.url, served.token);
    await callsUntil(sleep(500));
    quiet = percentile95(await callsUntil(sleep(1500)));
  });
  afterAll(async () => {
    await served.dispose();
    await patient.dispose();
    await engine.dispose();
  });

  /** Times of the neighbour's calls, in ms, each begun when the one before was answered. */
  async function callsUntil(over: Promise<unknown>): Promise<number[]> {
    const times: number[] = [];
    let going = true;
    const stop = () => {
      going = false;
    };
    over.then(stop, stop);
    while (going) {
      const startedAt = performance.now();
      const answer = await call(neighbour, 'run_code', { language: 'python', code: `print ${times.length}` });
      expect(answer.structuredContent).toMatchObject({ status: 'ok', stdout: `${times.length}\n` });
      times.push(performance.now() - startedAt);
    }
    return times;
  }

  /** At most twice as slow as alone; 50 ms more forgive what the attackers, in this same process, take of its time. */
  function expectServed(times: readonly number[]): void {
    expect(times.length).toBeGreaterThan(20);
    expect(percentile95(times)).toBeLessThanOrEqual(2 * quiet + 50);
  }

  // Measures a machine that others use too.
  it('200 silent or very slow connections end with 408 and hardly delay a neighbor', {
    retry: 2,
  }, async () => {
    const head = linesOf(goodHead(served)).join('\r\n');
    const begins = ['', 'POST /mcp HTTP/1.1\r\nX-Slow: ', `${head}\r\nContent-Length: 1000\r\n\r\n`, `${head}\r\nX: `];
    const attackers = Promise.all(Array.from({ length: 200 }, (_, at) => dribble(served.port, begins[at % 4] ?? '')));
    const times = await callsUntil(attackers);
    expect(new Set(await attackers)).toEqual(new Set([408]));
    expectServed(times);
  });

  // Measures a machine that others use too.
  it.each([
    ['announced', `Content-Length: ${100 * MB}`],
    ['not announced', 'Transfer-Encoding: chunked'],
  ])('a body of 100 MB, %s, gets 413, is read to its end and not kept', { retry: 2 }, async (_name, header) => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 5);
    const attacker = pour(patient.port, [...linesOf(goodHead(patient)), header]);
    const times = await callsUntil(attacker);
    clearInterval(watch);
    expect(await attacker).toEqual({ status: 413, sentAll: true });
    expect(most).toBeLessThan(50 * MB);
    expectServed(times.concat(await callsUntil(sleep(500))));
  });
});

function percentile95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY;
}

/** Sends `begin` and then a letter from time to time; the status that ends it, or null when nothing does. */
async function dribble(port: number, begin: string): Promise<number | null> {
  const { socket, answer } = open(port);
  socket.write(begin);
  // A connection that has sent nothing stays silent.
  const drip = begin && setInterval(() => socket.write('x'), 100);
  const impatience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  const status = statusOf(await answer);
  clearInterval(drip || undefined);
  clearTimeout(impatience);
  return status;
}

/** Sends a body of 100 MB as fast as it is taken, whatever is answered meanwhile: such a client reads when it has sent. */
async function pour(port: number, head: readonly string[]) {
  const { socket, answer } = open(port);
  const chunk = Buffer.alloc(MB, 'x');
  const chunked = head.includes('Transfer-Encoding: chunked');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  let sent = 0;
  for (; sent < 100 && !socket.destroyed; sent += 1) {
    if (chunked) socket.write(`${MB.toString(16)}\r\n`);
    const taken = socket.write(chunk);
    if (chunked) socket.write('\r\n');
    if (!taken) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answer]);
  }
  if (chunked) socket.write('0\r\n\r\n');
  return { status: statusOf(await answer), sentAll: sent === 100 };
}

function open(port: number): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  // A reset after the answer is the server's right.
  socket.on('error', () => {});
  return { socket, answer: new Promise((resolve) => socket.on('close', () => resolve(text))) };
}
