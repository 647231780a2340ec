import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { type HttpOptions, type HttpServer, startHttpServer } from '../../../src/mcp/http/httpServer.ts';
import { call, connectHttp, textOf } from '../connect.ts';
import { runResult, StubEngine } from '../stubEngine.ts';

const servers: HttpServer[] = [];

async function serve(engine: StubEngine, options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({ engine, version: '1', log: silentLog, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.dispose()));
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One raw request; headers as a flat list, so that a test can send a name twice. */
function send(
  server: HttpServer,
  headers: readonly string[],
  body: string | Buffer = '',
  method = 'POST',
  path = '/mcp',
) {
  const { hostname, port } = new URL(server.url);
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers: [...headers], setHost: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function good(server: HttpServer): string[] {
  return [
    ...['Host', new URL(server.url).host],
    ...['Authorization', `Bearer ${server.token}`],
    ...['Content-Type', 'application/json'],
    ...['Accept', 'application/json, text/event-stream'],
  ];
}

function without(headers: readonly string[], name: string): string[] {
  const at = headers.indexOf(name);
  return headers.toSpliced(at, 2);
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

describe('MCP over HTTP', () => {
  it('serves a client from initialize to close', async () => {
    const engine = new StubEngine();
    engine.answer = async ({ code }) => runResult({ stdout: code });
    const { url, token } = await serve(engine);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const client = await connectHttp(url, token);
    const answer = await call(client, 'run_code', { language: 'python', code: 'hello' });
    expect(textOf(answer)).toContain('hello');
    await client.close();
  });

  it('returns to each of many clients its own results', async () => {
    const engine = new StubEngine();
    engine.answer = async ({ code }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      return runResult({ stdout: code });
    };
    const { url, token } = await serve(engine);
    const clients = await Promise.all(Array.from({ length: 10 }, () => connectHttp(url, token)));
    const calls = clients.flatMap((client, who) =>
      Array.from({ length: 10 }, async (_value, turn) => {
        const { structuredContent } = await call(client, 'run_code', { language: 'python', code: `${who}.${turn}` });
        expect(structuredContent?.stdout).toBe(`${who}.${turn}`);
      }),
    );
    await Promise.all(calls);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('aborts the run when its connection breaks', async () => {
    const engine = new StubEngine();
    engine.answer = (_request, _onOutput, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(runResult({ status: 'interrupted' }))));
    const { url, token } = await serve(engine);
    const client = await connectHttp(url, token);
    const running = call(client, 'run_code', { language: 'python', code: 'forever' });
    await until(() => engine.requests.length === 1);
    await client.close();
    await expect(running).rejects.toThrow();
    await until(() => engine.aborted.length === 1);
  });

  it('answers 404 for a removed session, after which a client can initialize again', async () => {
    const server = await serve(new StubEngine());
    const answer = await send(server, [...good(server), 'Mcp-Session-Id', 'gone'], PING);
    expect(answer.status).toBe(404);
    const first = await send(server, good(server), INITIALIZE);
    expect(first.status).toBe(200);
    const id = String(first.headers['mcp-session-id']);
    expect((await send(server, [...good(server), 'Mcp-Session-Id', id], PING)).status).toBe(200);
    expect((await send(server, [...good(server), 'Mcp-Session-Id', id], '', 'DELETE')).status).toBe(200);
    expect((await send(server, [...good(server), 'Mcp-Session-Id', id], PING)).status).toBe(404);
  });

  it('removes the longest idle client when the table is full', async () => {
    const server = await serve(new StubEngine(), { maxClients: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push(String((await send(server, good(server), INITIALIZE)).headers['mcp-session-id']));
    }
    const statuses = await Promise.all(ids.map((id) => send(server, [...good(server), 'Mcp-Session-Id', id], PING)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 200, 200]);
  });

  it('keeps an idle connection for longer than a pause between two calls', async () => {
    const server = await serve(new StubEngine());
    const { headers } = await send(server, [...good(server), 'Connection', 'keep-alive'], '{}');
    expect(headers['keep-alive']).toBe('timeout=65');
  });

  it('closes streams and refuses connections after dispose', async () => {
    const server = await serve(new StubEngine());
    await connectHttp(server.url, server.token);
    await server.dispose();
    await expect(send(server, good(server), INITIALIZE)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('the response to a call', () => {
  const CALL = { name: 'run_code', arguments: { language: 'python', code: '1' } };

  /** A raw client with an MCP session, and the body of a call. */
  async function open(server: HttpServer, meta?: object) {
    const id = String((await send(server, good(server), INITIALIZE)).headers['mcp-session-id']);
    const params = { ...CALL, ...(meta && { _meta: meta }) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    return { headers: [...good(server), 'Mcp-Session-Id', id], id, body };
  }

  it('is one JSON object when it comes soon', async () => {
    const server = await serve(new StubEngine());
    const { headers, id, body } = await open(server);
    const answer = await send(server, headers, body);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'mcp-session-id': id });
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: 2, result: { isError: false } });
  });

  it.each([
    ['takes over a second', 1_200, undefined],
    ['has progress', 120, { progressToken: 'token' }],
  ])('is a stream of events when it %s', async (_name, ms, meta) => {
    const engine = new StubEngine();
    engine.answer = async (_request, onOutput) => {
      onOutput?.({ kind: 'stdout', text: 'one' });
      await new Promise((resolve) => setTimeout(resolve, ms));
      return runResult();
    };
    const server = await serve(engine);
    const { headers, id, body } = await open(server, meta);
    const answer = await send(server, headers, body);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'mcp-session-id': id });
    const events = [...answer.body.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json = '']) =>
      JSON.parse(json),
    );
    expect(events.at(-1)).toMatchObject({ id: 2, result: { isError: false } });
    expect(events).toHaveLength(meta ? 2 : 1);
    if (meta) expect(events[0]).toMatchObject({ method: 'notifications/progress', params: meta });
  });

  it.each([
    ['an Accept without event streams', 'Accept', 'application/json', 406],
    ['another Content-Type', 'Content-Type', 'text/plain', 415],
    ['an unknown revision', 'MCP-Protocol-Version', '1999-01-01', 400],
  ])('is an error for %s', async (_name, header, value, status) => {
    const engine = new StubEngine();
    const server = await serve(engine);
    const { headers, body } = await open(server);
    const replaced = headers.includes(header) ? without(headers, header) : headers;
    expect((await send(server, [...replaced, header, value], body)).status).toBe(status);
    expect(engine.requests).toEqual([]);
  });

  it('ends without a result when the client closes its MCP session', async () => {
    const engine = new StubEngine();
    engine.answer = (_request, _onOutput, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(runResult())));
    const server = await serve(engine);
    const { headers, body } = await open(server);
    const answer = send(server, headers, body);
    await until(() => engine.requests.length === 1);
    expect((await send(server, headers, '', 'DELETE')).status).toBe(200);
    expect(await answer).toMatchObject({ status: 200, body: '' });
    await until(() => engine.aborted.length === 1);
  });
});

describe('the gate of the HTTP server', () => {
  const refusals: [string, number, (server: HttpServer) => string[]][] = [
    ['no Host', 403, (server) => without(good(server), 'Host')],
    [
      'a rebound name',
      403,
      (server) => ['Host', `evil.example:${new URL(server.url).port}`, ...without(good(server), 'Host')],
    ],
    [
      'a suffix',
      403,
      (server) => ['Host', `${new URL(server.url).host}.evil.example`, ...without(good(server), 'Host')],
    ],
    ['another port', 403, (server) => ['Host', '127.0.0.1:1', ...without(good(server), 'Host')]],
    ['two Hosts', 403, (server) => ['Host', new URL(server.url).host, ...good(server)]],
    ['a foreign Origin', 403, (server) => [...good(server), 'Origin', 'https://evil.example']],
    ['Origin null', 403, (server) => [...good(server), 'Origin', 'null']],
    ['an Origin suffix', 403, (server) => [...good(server), 'Origin', `${new URL(server.url).origin}.evil.example`]],
    ['Origin by https', 403, (server) => [...good(server), 'Origin', `https://${new URL(server.url).host}`]],
    ['two Origins', 403, (server) => [...good(server), ...twice('Origin', new URL(server.url).origin)]],
    ['no token', 401, (server) => without(good(server), 'Authorization')],
    [
      'a wrong token',
      401,
      (server) => [...without(good(server), 'Authorization'), 'Authorization', `Bearer ${server.token}x`],
    ],
    [
      'another scheme',
      401,
      (server) => [...without(good(server), 'Authorization'), 'Authorization', `Basic ${server.token}`],
    ],
    ['two tokens', 401, (server) => [...good(server), 'Authorization', 'Bearer x']],
    ['no session', 400, good],
  ];

  it.each(refusals)('rejects %s with status %i', async (_name, status, headers) => {
    const server = await serve(new StubEngine());
    const answer = await send(server, headers(server), PING);
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="hothouse"' : undefined);
    expect(answer.body).not.toContain(server.token);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('accepts the loopback name %s and its Origin', async (name) => {
    const server = await serve(new StubEngine());
    const authority = `${name}:${new URL(server.url).port}`;
    const headers = ['Host', authority, 'Origin', `http://${authority}`, ...without(good(server), 'Host')];
    expect((await send(server, headers, INITIALIZE)).status).toBe(200);
  });

  it('serves one path and three methods', async () => {
    const server = await serve(new StubEngine());
    expect((await send(server, good(server), PING, 'POST', '/')).status).toBe(404);
    const put = await send(server, good(server), PING, 'PUT');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST, DELETE']);
  });

  it('listens on 127.0.0.1 only', async () => {
    const { port } = new URL((await serve(new StubEngine())).url);
    await expect(dial('127.0.0.2', Number(port))).resolves.toBe('ECONNREFUSED');
  });
});

describe('request bodies', () => {
  it('over the limit are answered with 413, with and without Content-Length', async () => {
    const server = await serve(new StubEngine());
    const big = Buffer.alloc(9 * 1024 * 1024, 'x');
    expect((await send(server, [...good(server), 'Content-Length', String(big.length)], big)).status).toBe(413);
    expect((await send(server, [...good(server), 'Transfer-Encoding', 'chunked'], big)).status).toBe(413);
  });

  it('that are not JSON are answered with 400', async () => {
    const server = await serve(new StubEngine());
    expect((await send(server, good(server), '{')).status).toBe(400);
  });

  it('that are nested too deeply are answered with 400', async () => {
    const server = await serve(new StubEngine());
    for (const depth of [501, 3_000_000]) {
      const { status, body } = await send(server, good(server), '['.repeat(depth) + ']'.repeat(depth));
      expect([status, body]).toEqual([400, expect.stringContaining('It has more than 500 levels.')]);
    }
  });

  it('that never end are answered with 408, like headers that never end', async () => {
    const server = await serve(new StubEngine(), { headersTimeoutMs: 300, requestTimeoutMs: 600 });
    const head = ['POST /mcp HTTP/1.1', `Host: ${new URL(server.url).host}`, `Authorization: Bearer ${server.token}`];
    const slow = [head.join('\r\n'), `${[...head, 'Content-Length: 9'].join('\r\n')}\r\n\r\n{`];
    const answers = await Promise.all(slow.map((text) => trickle(server, text)));
    expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual(slow.map(() => 'HTTP/1.1 408 Request Timeout'));
  });
});

function twice(name: string, value: string): string[] {
  return [name, value, name, value];
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function dial(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve('connected'));
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });
}

/** Sends the begin of a request and waits for the end of the connection. */
function trickle(server: HttpServer, text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
