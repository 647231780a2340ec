import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { LANGUAGES } from '../../../src/languages/registry.ts';
import { type HttpOptions, type HttpServer, startHttpServer } from '../../../src/mcp/http/httpServer.ts';
import { toolsFor } from '../../../src/mcp/toolList.ts';
import { call, connectEra, ERAS, type TestClient, textOf } from '../connect.ts';
import { runResult, StubEngine, sessionInfo } from '../stubEngine.ts';

const open: { close(): Promise<void> }[] = [];

async function serve(engine: StubEngine, options: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({ engine, version: '1', log: silentLog, ...options });
  open.push({ close: () => server.dispose() });
  return server;
}

async function connect(era: (typeof ERAS)[number], { url, token }: HttpServer): Promise<TestClient> {
  const client = await connectEra(era, url, token);
  open.unshift(client);
  return client;
}

afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
});

const forever: StubEngine['answer'] = (_request, onOutput, signal) =>
  new Promise((resolve) => {
    onOutput?.({ kind: 'stdout', text: 'begun\n' });
    signal?.addEventListener('abort', () => resolve(runResult({ status: 'interrupted' })));
  });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each(ERAS)('a client of %s over HTTP', (era) => {
  it('lists the tools and calls them', async () => {
    const engine = new StubEngine();
    engine.answer = async ({ code }) => runResult({ stdout: code });
    const client = await connect(era, await serve(engine));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      toolsFor(LANGUAGES).map(({ name }) => name),
    );
    const answer = await call(client, 'run_code', { language: 'python', code: 'hello' });
    expect(answer.structuredContent).toMatchObject({ status: 'ok', stdout: 'hello' });
    expect(engine.requests[0]?.owner.label).toBe('test-client 9');
  });

  it('gets isError for a failed run and our messages for invalid arguments', async () => {
    const engine = new StubEngine();
    engine.answer = async () => runResult({ status: 'timeout' });
    const client = await connect(era, await serve(engine));
    expect(await call(client, 'run_code', { language: 'python', code: '1' })).toMatchObject({
      isError: true,
      structuredContent: { status: 'timeout' },
    });
    expect(textOf(await call(client, 'run_code', { language: 'python', code: 7 }))).toMatch(
      /^Argument "code" must be a string; 7 was given\./,
    );
    await expect(call(client, 'run')).rejects.toThrow('There is no tool "run". Tools: run_code,');
  });

  it('receives live output before the result', async () => {
    const engine = new StubEngine();
    engine.answer = async (_request, onOutput) => {
      onOutput?.({ kind: 'stdout', text: 'one\n' });
      await new Promise((resolve) => setTimeout(resolve, 120));
      return runResult({ stdout: 'one\n' });
    };
    const client = await connect(era, await serve(engine));
    const seen: unknown[] = [];
    const params = { name: 'run_code', arguments: { language: 'python', code: '1' } };
    await client.callTool(params, undefined, { onprogress: ({ message }) => seen.push(message) });
    expect(seen).toEqual(['one\n']);
  });

  it.each([
    ['that streams', true],
    ['that has sent nothing yet', false],
  ])('interrupts its run by aborting a call %s', async (_name, streams) => {
    const engine = new StubEngine();
    engine.answer = forever;
    const client = await connect(era, await serve(engine));
    const controller = new AbortController();
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => seen.push(progress);
    const options = { signal: controller.signal, ...(streams && { onprogress }) };
    const params = { name: 'run_code', arguments: { language: 'python', code: 'forever' } };
    const running = client.callTool(params, undefined, options);
    await until(() => engine.requests.length === 1 && (seen.length > 0 || !streams));
    controller.abort();
    await expect(running).rejects.toThrow();
    await until(() => engine.aborted.length === 1);
  });

  it('interrupts its runs when it closes its connection', async () => {
    const engine = new StubEngine();
    engine.answer = forever;
    const client = await connect(era, await serve(engine));
    const running = call(client, 'run_code', { language: 'python', code: 'forever' }).catch(String);
    await until(() => engine.requests.length === 1);
    await client.close();
    await running;
    await until(() => engine.aborted.length === 1);
  });

  it('has its runs interrupted when the server is disposed', async () => {
    const engine = new StubEngine();
    engine.answer = forever;
    const server = await serve(engine);
    const client = await connect(era, server);
    void call(client, 'run_code', { language: 'python', code: 'forever' }).catch(() => {});
    await until(() => engine.requests.length === 1);
    await server.dispose();
    await until(() => engine.aborted.length === 1);
  });
});

/** One request of revision 2026-07-28 as it is sent. */
async function post({ url, token }: HttpServer, method: string, params: object = {}, name?: string) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

describe('revision 2026-07-28 over HTTP', () => {
  it('needs no initialize and gets no session', async () => {
    const server = await serve(new StubEngine());
    const { status, headers, body } = await post(server, 'server/discover');
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(body).toMatchObject({
      id: 7,
      result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    });
    const called = await post(server, 'tools/call', { name: 'list_sessions', arguments: {} }, 'list_sessions');
    expect(called.body).toMatchObject({ result: { resultType: 'complete', structuredContent: { sessions: [] } } });
  });

  it('may cache the tool list', async () => {
    const { body } = await post(await serve(new StubEngine()), 'tools/list');
    expect(body.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' });
  });

  it('gets the supported revisions when it asks for another one', async () => {
    const server = await serve(new StubEngine());
    const { url, token } = server;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2030-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32_022, data: { supported: ['2026-07-28'] } } });
  });

  it('is served next to clients of 2025-11-25 at the same time', async () => {
    const engine = new StubEngine();
    engine.answer = async ({ code }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      return runResult({ stdout: code });
    };
    const server = await serve(engine);
    const clients = await Promise.all(
      Array.from({ length: 10 }, (_, who) => connect(ERAS[who % 2] ?? ERAS[0], server)),
    );
    const calls = clients.flatMap((client, who) =>
      Array.from({ length: 10 }, async (_value, turn) => {
        const { structuredContent } = await call(client, 'run_code', { language: 'python', code: `${who}.${turn}` });
        expect(structuredContent?.stdout).toBe(`${who}.${turn}`);
      }),
    );
    await Promise.all(calls);
  });
});

describe('owners over HTTP', () => {
  const ownersOf = ({ requests }: StubEngine) => new Set(requests.map(({ owner }) => owner.id)).size;
  const run = { language: 'python', code: '1' };

  it('are one for all clients of both eras with the token', async () => {
    const engine = new StubEngine();
    const server = await serve(engine);
    for (const era of [...ERAS, ...ERAS]) await call(await connect(era, server), 'run_code', run);
    expect(ownersOf(engine)).toBe(1);
  });

  it('of two servers are different', async () => {
    const engine = new StubEngine();
    for (const server of [await serve(engine), await serve(engine)]) {
      await call(await connect('2026-07-28', server), 'run_code', run);
    }
    expect(ownersOf(engine)).toBe(2);
  });
});

describe('sessions over HTTP', () => {
  const HOUR = 3_600_000;
  /** Longer than a client pauses between two requests, also on a busy machine. */
  const IDLE_MS = 1_000;

  it.each(ERAS)('outlive the connection of the client of %s that opened them', async (era) => {
    const engine = new StubEngine();
    const server = await serve(engine, { clientIdleMs: IDLE_MS });
    const first = await connect(era, server);
    const { structuredContent } = await call(first, 'open_session', { language: 'python' });
    const session_id = structuredContent?.session_id;
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 2.5 * IDLE_MS));
    const second = await connect(era, server);
    await call(second, 'run_code', { language: 'python', code: '1', session_id });
    expect(engine.requests).toMatchObject([{ sessionId: session_id }]);
    expect(engine.closed).toEqual([]);
  });

  it('are closed after eight hours without use, and only those', async () => {
    const engine = new StubEngine();
    const server = await serve(engine, { clientIdleMs: IDLE_MS });
    const gone = await connect('2025-11-25', server);
    await call(gone, 'open_session', { language: 'python' });
    await gone.close();
    const [current] = engine.sessions.map(({ owner }) => owner);
    if (!current) throw new Error('There is one.');
    const session = (id: string, owner: typeof current, hours: number, state: 'idle' | 'busy' = 'idle') =>
      sessionInfo({ id, owner, state, lastUsedAt: Date.now() - hours * HOUR });
    engine.sessions = [
      session('unused', current, 8.1),
      session('used', current, 7.9),
      session('running', current, 100, 'busy'),
      session('of a notebook', { id: 'notebook', kind: 'notebook', label: 'n' }, 100),
      session('of another server', { ...current, id: `${current.id}0` }, 100),
    ];
    await until(() => engine.closed.length >= 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(new Set(engine.closed)).toEqual(new Set(['unused']));
  });

  it('of a connected client of 2025-11-25 are never closed', async () => {
    const engine = new StubEngine();
    const server = await serve(engine, { sessionIdleMs: 20 });
    const client = await connect('2025-11-25', server);
    await call(client, 'open_session', { language: 'python' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(engine.closed).toEqual([]);
  });
});
