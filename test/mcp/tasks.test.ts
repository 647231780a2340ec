import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import { silentLog } from '../../src/base/log.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { call, connectAsking, connectInMemory, textOf } from './connect.ts';
import { runResult, StubEngine } from './stubEngine.ts';

const RUN = { language: 'python', code: '1' };
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.dispose())));

/** An engine whose runs print and then end when `finish` is called, or when they are aborted. */
function slow() {
  const engine = new StubEngine();
  const end = deferred<void>();
  engine.answer = (request, onOutput, signal) =>
    new Promise((resolve) => {
      onOutput?.({ kind: 'stdout', text: 'begun\n' });
      const runId = request.runId ?? '';
      signal?.addEventListener('abort', () => resolve(runResult({ runId, status: 'interrupted', stdout: 'begun\n' })));
      void end.promise.then(() => resolve(runResult({ runId, stdout: 'begun\ndone\n' })));
    });
  return { engine, finish: () => end.resolve() };
}

describe('a call with wait_seconds', () => {
  it('returns its run_id and output so far, and run_status the result', async () => {
    const { engine, finish } = slow();
    const client = await connectInMemory(engine);
    const answer = await call(client, 'run_code', { ...RUN, wait_seconds: 0.05 });
    expect(answer).toMatchObject({ isError: false, structuredContent: { status: 'running', stdout: 'begun\n' } });
    const run_id = String(answer.structuredContent?.run_id);
    expect(textOf(answer)).toMatch(/^begun\n\[running, \d+ ms, run run-[0-9a-f]{24}; run_status returns its result\]$/);
    expect(await call(client, 'run_status', { run_id })).toMatchObject({ structuredContent: { status: 'running' } });
    const waiting = call(client, 'run_status', { run_id, wait_seconds: 60 });
    finish();
    const result = { isError: false, structuredContent: { run_id, status: 'ok', stdout: 'begun\ndone\n' } };
    expect(await waiting).toMatchObject(result);
    expect(await call(client, 'run_status', { run_id })).toMatchObject(result);
    expect((await call(client, 'run_status')).structuredContent).toMatchObject({
      runs: [{ run_id, tool: 'run_code', status: 'ok' }],
    });
  });

  it('returns the result when it comes in time', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    const answer = await call(client, 'run_code', { ...RUN, wait_seconds: 60 });
    expect(answer.structuredContent).toMatchObject({ status: 'ok' });
    const { check: atOnce } = engine.lean;
    engine.lean.check = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return atOnce(...given);
    };
    const check = await call(client, 'lean_check', { proofs: [{ code: 'x' }], wait_seconds: 0 });
    expect(check.structuredContent).toMatchObject({ status: 'running' });
    const run_id = check.structuredContent?.run_id;
    expect((await call(client, 'run_status', { run_id, wait_seconds: 60 })).structuredContent).toMatchObject({
      accepted: 1,
    });
  });

  it('goes on without its client, which finds it again', async () => {
    const { engine, finish } = slow();
    const server = await startHttpServer({ engine, version: '1', log: silentLog });
    servers.push(server);
    const broken = new AbortController();
    const args = { ...RUN, wait_seconds: 600 };
    const lost = post(server, 'tools/call', { name: 'run_code', arguments: args }, {}, broken.signal).catch(
      () => 'lost',
    );
    await expect.poll(() => engine.requests.length).toBe(1);
    broken.abort();
    expect(await lost).toBe('lost');
    const list = await tool(server, 'run_status', {});
    const [{ run_id }] = list.structuredContent.runs as [{ run_id: string }];
    finish();
    const found = await tool(server, 'run_status', { run_id, wait_seconds: 60 });
    expect(found.structuredContent).toMatchObject({ status: 'ok', stdout: 'begun\ndone\n' });
    expect(engine.aborted).toEqual([]);
  });

  it('is seen, and ended, by its owner only', async () => {
    const { engine } = slow();
    const [client, other] = [await connectInMemory(engine), await connectInMemory(engine, 'owner-2')];
    const { structuredContent } = await call(client, 'run_code', { ...RUN, wait_seconds: 0 });
    const run_id = String(structuredContent?.run_id);
    for (const name of ['run_status', 'cancel_run']) {
      const refused = await call(other, name, { run_id });
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining(`no run ${run_id} of this`)]);
    }
    expect((await call(other, 'run_status')).structuredContent).toEqual({ runs: [] });
    expect(await call(client, 'cancel_run', { run_id })).toMatchObject({
      structuredContent: { run_id, status: 'interrupted' },
    });
    expect(await call(client, 'run_status', { run_id })).toMatchObject({
      ...{ isError: true, structuredContent: { status: 'interrupted', stdout: 'begun\n' } },
    });
  });

  it('is refused when 64 others of its client are in progress', async () => {
    const { engine, finish } = slow();
    const client = await connectInMemory(engine);
    await Promise.all(Array.from({ length: 64 }, () => call(client, 'run_code', { ...RUN, wait_seconds: 0 })));
    expect(textOf(await call(client, 'run_code', { ...RUN, wait_seconds: 0 }))).toMatch(/^Too many runs/);
    const other = call(await connectInMemory(engine, 'owner-2'), 'run_code', { ...RUN, wait_seconds: 60 });
    finish();
    expect(await other).toMatchObject({ isError: false });
  });

  it.each([-1, 601, '5', 1e300])('is refused with %j, by name', async (wait_seconds) => {
    const { engine } = slow();
    const refused = await call(await connectInMemory(engine), 'run_code', { ...RUN, wait_seconds });
    expect(textOf(refused)).toMatch(/^Argument "wait_seconds" must be a number from 0 to 600; /);
    expect(engine.requests).toEqual([]);
  });
});

describe('a call of a client with the tasks extension', () => {
  it('becomes a task after a second, whose result is that of the call', async () => {
    const { engine, finish } = slow();
    const server = await startHttpServer({ engine, version: '1', log: silentLog });
    servers.push(server);
    const { result } = await post(server, 'tools/call', { name: 'run_code', arguments: RUN }, TASKS);
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: expect.any(Number) });
    const taskId = String(result?.taskId);
    expect((await post(server, 'tasks/get', { taskId }, TASKS)).result).toMatchObject({ taskId, status: 'working' });
    finish();
    await expect
      .poll(async () => (await post(server, 'tasks/get', { taskId }, TASKS)).result)
      .toMatchObject({ status: 'completed', result: { structuredContent: { run_id: taskId, status: 'ok' } } });
    expect((await post(server, 'tasks/get', { taskId }, {})).error).toMatchObject({ code: -32_021 });
    expect((await post(server, 'tasks/get', { taskId: 'run-0' }, TASKS)).error).toMatchObject({ code: -32_602 });
  });

  it('is a result when it is done at once, and waits without the extension', async () => {
    const engine = new StubEngine();
    const server = await startHttpServer({ engine, version: '1', log: silentLog });
    servers.push(server);
    const params = { name: 'run_code', arguments: RUN };
    for (const extensions of [TASKS, {}]) {
      const { result } = await post(server, 'tools/call', params, extensions);
      expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'ok' } });
    }
  });

  it('is cancelled by tasks/cancel', async () => {
    const { engine } = slow();
    const server = await startHttpServer({ engine, version: '1', log: silentLog });
    servers.push(server);
    const { result } = await post(server, 'tools/call', { name: 'run_code', arguments: RUN }, TASKS);
    const taskId = String(result?.taskId);
    expect((await post(server, 'tasks/cancel', { taskId }, TASKS)).result).toMatchObject({ resultType: 'complete' });
    await expect
      .poll(async () => (await post(server, 'tasks/get', { taskId }, TASKS)).result)
      .toMatchObject({ status: 'cancelled' });
    expect(engine.aborted).toEqual(['1']);
  });

  it('asks its user while it goes on', async () => {
    const engine = new StubEngine();
    engine.installPackages = async ({ sessionId, isApproved }) => {
      if (isApproved) return { ok: true, value: { sessionId, added: [], output: '', notes: [] } };
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      return { ok: false, error: { kind: 'needs_approval', message: 'No.', advice: 'Ask.' } };
    };
    const server = await startHttpServer({ engine, version: '1', log: silentLog });
    servers.push(server);
    const install = { name: 'install_packages', arguments: { session_id: 's1', packages: ['tqdm'] } };
    const { result } = await post(server, 'tools/call', install, TASKS);
    const taskId = String(result?.taskId);
    const get = async () => (await post(server, 'tasks/get', { taskId }, TASKS)).result;
    await expect.poll(get).toMatchObject({
      status: 'input_required',
      inputRequests: { 'question-1': { params: { message: 'Install tqdm into session s1?' } } },
    });
    const inputResponses = { unknown: { action: 'accept' }, 'question-1': { action: 'accept', content: {} } };
    await post(server, 'tasks/update', { taskId, inputResponses }, TASKS);
    await expect.poll(get).toMatchObject({ status: 'completed', result: { isError: false } });
  });
});

describe('a question of a call', () => {
  it('leaves no run behind in the list', async () => {
    const engine = new StubEngine();
    engine.onInstall = ({ sessionId, isApproved }) =>
      isApproved
        ? { ok: true, value: { sessionId, added: [], output: '', notes: [] } }
        : { ok: false, error: { kind: 'needs_approval', message: 'No.', advice: 'Ask.' } };
    const client = await connectAsking(engine, 'accept');
    await call(client, 'install_packages', { session_id: 's1', packages: ['tqdm'] });
    expect((await call(client, 'run_status')).structuredContent).toMatchObject({
      runs: [{ tool: 'install_packages', status: 'ok' }],
    });
  });
});

interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
}

/** One request of revision 2026-07-28 of a client with some extensions. */
async function post(
  { url, token }: HttpServer,
  method: string,
  params: { readonly name?: string; readonly taskId?: string; readonly [key: string]: unknown },
  extensions: object,
  signal?: AbortSignal,
): Promise<Reply> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions },
  };
  const response = await fetch(url, {
    method: 'POST',
    ...(signal && { signal }),
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Reply;
}

async function tool(server: HttpServer, name: string, args: object) {
  const { result } = await post(server, 'tools/call', { name, arguments: args }, {});
  return result as { structuredContent: Record<string, unknown> };
}
