import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Engine } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { serveStdio } from '../../src/mcp/stdio/stdioServer.ts';
import { toolsFor } from '../../src/mcp/toolList.ts';
import { engineInMemory } from '../isolation/mcpServer.ts';
import { call, connectEra, ERAS, type Era, type TestClient, textOf } from './connect.ts';

const TOKENS = { ann: 'token-of-ann-000000000000', bob: 'token-of-bob-000000000000' };
const UNKNOWN = 'py-00000000';

/** Arguments of every tool that takes a session, without it. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  run_code: { language: 'python', code: 'print 1' },
  close_session: {},
  interrupt_session: {},
  session_variables: {},
  try_code: { candidates: [{ code: 'print 1' }] },
  install_packages: { packages: ['polars'] },
  write_file: { path: 'note.txt', content: 'x' },
  read_file: { path: 'note.txt' },
  list_files: {},
  delete_file: { path: 'note.txt' },
  lean_goals: {},
  lean_try: { line: 1, column: 0, tactics: ['rfl'] },
};

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serve(): Promise<{ engine: Engine; server: HttpServer }> {
  const engine = engineInMemory({ pool: { size: 4 } });
  opened.push(() => engine.dispose());
  const findToken = (token: string) => {
    const [id] = Object.entries(TOKENS).find(([, one]) => one === token) ?? [];
    return id === undefined ? null : { ok: true as const, id };
  };
  const server = await startHttpServer({ engine, version: '1', log: silentLog, findToken });
  opened.push(() => server.dispose());
  return { engine, server };
}

async function connect(era: Era, { url }: HttpServer, token: string): Promise<TestClient> {
  const client = await connectEra(era, url, token);
  opened.push(() => client.close());
  return client;
}

async function openSession(client: TestClient): Promise<string> {
  const { structuredContent } = await call(client, 'open_session', { language: 'python' });
  return String(structuredContent?.session_id);
}

async function listed(client: TestClient): Promise<string[]> {
  const { structuredContent } = await call(client, 'list_sessions');
  const { sessions } = structuredContent as { sessions: { session_id: string }[] };
  return sessions.map(({ session_id }) => session_id);
}

/** An answer without what differs from call to call, and without the id that the caller has named. */
function answerFor(id: string, answer: unknown): string {
  return JSON.stringify(answer)
    .replaceAll(id, 'ID')
    .replace(/run-[0-9a-f]{12}/g, 'RUN')
    .replace(/"duration_ms":[\d.]+/g, '');
}

describe.each(ERAS)('sessions of a client of %s', (era) => {
  it('are seen and used over every connection with the same token, in both eras', async () => {
    const { server } = await serve();
    const first = await connect(era, server, TOKENS.ann);
    const session_id = await openSession(first);
    await first.close();
    for (const again of ERAS) {
      const client = await connect(again, server, TOKENS.ann);
      expect(await listed(client)).toEqual([session_id]);
      const ran = await call(client, 'run_code', { language: 'python', code: 'print 7', session_id });
      expect(ran.structuredContent).toMatchObject({ status: 'ok', session_id });
    }
  });

  it('do not exist for another token: each tool answers as for an id that was never given', async () => {
    const { engine, server } = await serve();
    const foreign = await openSession(await connect(era, server, TOKENS.ann));
    await engine.files(foreign).put('note.txt', Buffer.from('secret'));
    const takers = toolsFor(LANGUAGES).filter(({ input }) => 'session_id' in input.shape);
    expect(takers.map(({ name }) => name).sort()).toEqual(Object.keys(ARGUMENTS).sort());
    for (const other of ERAS) {
      const bob = await connect(other, server, TOKENS.bob);
      const own = await openSession(bob);
      for (const [name, args] of Object.entries(ARGUMENTS)) {
        const answers = [foreign, UNKNOWN].map(async (session_id) =>
          answerFor(session_id, await call(bob, name, { ...args, session_id })),
        );
        const [ofForeign, ofUnknown] = await Promise.all(answers);
        expect({ name, answer: ofForeign }).toEqual({ name, answer: ofUnknown });
        expect(ofForeign).toContain('There is no session');
      }
      expect(await listed(bob)).toEqual([own]);
      await call(bob, 'close_session', { session_id: own });
    }
    expect(engine.snapshot().sessions).toMatchObject([{ id: foreign, state: 'idle', runs: 0 }]);
  });

  it('do not exist for another token as resources, and as sources of files', async () => {
    const { engine, server } = await serve();
    const foreign = await openSession(await connect(era, server, TOKENS.ann));
    await engine.files(foreign).put('note.txt', Buffer.from('secret'));
    const bob = await connect(era, server, TOKENS.bob);
    const uriOf = (id: string) => `hothouse://sessions/${id}/files/note.txt`;
    expect((await bob.listResources()).resources).toEqual([]);
    const [read, readUnknown] = await Promise.all(
      [foreign, UNKNOWN].map(async (id) =>
        answerFor(id, String(await bob.readResource({ uri: uriOf(id) }).catch(String))),
      ),
    );
    expect(read).toBe(readUnknown);
    const [taken, takenUnknown] = await Promise.all(
      [foreign, UNKNOWN].map(async (id) => {
        const files = [{ path: 'note.txt', from: uriOf(id) }];
        return answerFor(id, await call(bob, 'run_code', { language: 'python', code: 'print 1', files }));
      }),
    );
    expect(taken).toBe(takenUnknown);
  });

  it('do not exist for another token after they were closed', async () => {
    const { server } = await serve();
    const ann = await connect(era, server, TOKENS.ann);
    const session_id = await openSession(ann);
    await call(ann, 'close_session', { session_id });
    const bob = await connect(era, server, TOKENS.bob);
    const answer = textOf(await call(bob, 'close_session', { session_id }));
    expect(answer).toContain(`There is no session "${session_id}".`);
    expect(textOf(await call(ann, 'close_session', { session_id }))).toContain('has ended');
  });

  it('are seen by all agents while a person shares them, and by people always', async () => {
    const { engine, server } = await serve();
    const shared = await openSession(await connect(era, server, TOKENS.ann));
    const bob = await connect(era, server, TOKENS.bob);
    const person = await connect(era, server, server.userToken);
    const run = { language: 'python', code: 'print 7', session_id: shared };
    expect([await listed(bob), await listed(person)]).toEqual([[], [shared]]);
    await engine.shareSession(shared, true);
    expect(await listed(bob)).toEqual([shared]);
    expect((await call(bob, 'run_code', run)).structuredContent).toMatchObject({ status: 'ok' });
    await engine.shareSession(shared, false);
    expect(await listed(bob)).toEqual([]);
    expect(textOf(await call(bob, 'run_code', run))).toContain('There is no session');
    expect((await call(person, 'run_code', run)).structuredContent).toMatchObject({ status: 'ok' });
  });

  it('cannot be reached with the MCP session of another token', async () => {
    const { server } = await serve();
    const initialize = await raw(server, TOKENS.ann, {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    const id = String(initialize.headers.get('mcp-session-id'));
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await raw(server, TOKENS.ann, list, id)).status).toBe(200);
    const stolen = await raw(server, TOKENS.bob, list, id);
    const unknown = await raw(server, TOKENS.bob, list, 'no-such-session');
    expect([stolen.status, await stolen.text()]).toEqual([404, await unknown.text()]);
  });
});

describe('what an agent sees of the engine', () => {
  it('names no other owner, session or host that another session has asked for', async () => {
    const engine = engineInMemory({ pool: { size: 2 } });
    const ann = { id: 'ann', kind: 'mcp', label: 'Ann, a client' } as const;
    const session = await engine.openSession('python', ann);
    if (!session.ok) throw new Error(session.error.message);
    const { id } = session.value;
    const seen = JSON.stringify(engine.asOwner('bob').snapshot());
    expect(seen).not.toContain(id);
    expect(seen).not.toContain('Ann');
    expect(JSON.stringify(engine.asOwner('ann').snapshot())).toContain(id);
    expect(await engine.asOwner('ann').shareSession(id, true)).toMatchObject({ ok: false });
    expect(engine.snapshot().sessions).toMatchObject([{ id, isShared: false }]);
    await engine.dispose();
  });
});

describe.each(ERAS)('two processes that serve clients of %s over stdio', (era) => {
  it('see their own sessions on the same engine', async () => {
    const engine = engineInMemory({ pool: { size: 4 } });
    const [one, other] = [overStdio(engine, era), overStdio(engine, era)];
    const own = await one.call('open_session', { language: 'python' });
    const id = String(own.structuredContent?.session_id);
    expect(textOf(await one.call('list_sessions', {}))).toContain(id);
    expect(textOf(await other.call('list_sessions', {}))).toBe('No session is open.');
    const answers = [id, UNKNOWN].map(async (session_id) =>
      answerFor(session_id, await other.call('close_session', { session_id })),
    );
    const [ofForeign, ofUnknown] = await Promise.all(answers);
    expect(ofForeign).toBe(ofUnknown);
    await Promise.all([one.close(), other.close()]);
    await engine.dispose();
  });
});

function raw({ url }: HttpServer, token: string, message: object, mcpSession?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(mcpSession !== undefined && { 'Mcp-Session-Id': mcpSession }),
    },
    body: JSON.stringify(message),
  });
}

/** Calls tools line by line, as a client of stdio does. */
function overStdio(engine: Engine, era: Era) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ engine, version: '1', log: silentLog, stdin, stdout });
  const waiting = new Map<number, (result: Awaited<ReturnType<typeof call>>) => void>();
  let buffered = '';
  stdout.on('data', (chunk: Buffer) => {
    buffered += chunk;
    const lines = buffered.split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)?.(result);
    }
  });
  let last = 0;
  const send = (method: string, params: object) => {
    last += 1;
    const id = last;
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise<Awaited<ReturnType<typeof call>>>((resolve) => waiting.set(id, resolve));
  };
  const ready =
    era === '2025-11-25'
      ? send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } })
      : Promise.resolve();
  const _meta =
    era === '2025-11-25'
      ? {}
      : {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        };
  return {
    async call(name: string, args: object) {
      await ready;
      return send('tools/call', { name, arguments: args, _meta });
    },
    async close() {
      stdin.end();
      await served;
    },
  };
}
