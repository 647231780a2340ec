import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { connectMcp, connectServe } from '../cli/program.ts';
import { call, ERAS, type TestClient, textOf } from './connect.ts';

/** The configurable maximum, so that one run prints more than an answer can hold. */
const LARGE_OUTPUT = { HOTHOUSE_LIMITS_OUTPUT_KB: '8192' };
const PLOT = 'import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()';

const ways = ERAS.flatMap((era) => [[era, 'stdio', connectMcp] as const, [era, 'HTTP', connectServe] as const]);

describe.each(ways)('a real client of %s over %s on a real Docker Engine', (era, _name, connect) => {
  let client: TestClient;
  let end: () => Promise<unknown>;

  beforeAll(async () => {
    ({ client, end } = await connect(era, LARGE_OUTPUT));
  });
  afterAll(() => end());

  const python = (code: string, more: Record<string, unknown> = {}) =>
    call(client, 'run_code', { language: 'python', code, ...more });

  const openSession = async () =>
    String((await call(client, 'open_session', { language: 'python' })).structuredContent?.session_id);

  /** A cell without end; `begun` is its first live output. */
  function startEndless(session_id: string, signal = new AbortController().signal) {
    const first = deferred<string | undefined>();
    const code = 'import time\nprint("begun", flush=True)\ntime.sleep(60)';
    const params = { name: 'run_code', arguments: { language: 'python', code, session_id } };
    const onprogress = ({ message }: { message?: string | undefined }) => first.resolve(message);
    return { begun: first.promise, answer: client.callTool(params, undefined, { signal, onprogress }) };
  }

  it('runs code once and keeps nothing', async () => {
    const answer = await python('import sys\nx = 20\nprint("hi")\nprint("oh", file=sys.stderr)\nx + 1');
    expect(answer.isError).toBe(false);
    expect(answer.structuredContent).toMatchObject({ status: 'ok', stdout: 'hi\n', stderr: 'oh\n', result: '21' });
    expect(answer.structuredContent).not.toHaveProperty('error');
    const second = await python('x');
    expect(second.isError).toBe(true);
    expect(second.structuredContent).toMatchObject({ status: 'error', error: { name: 'NameError' } });
  });

  it('passes stdin and state to a run and returns state', async () => {
    const answer = await python('n += 1\nline = input()', { state: { n: 1, keep: [1, 'a'] }, stdin: 'typed\n' });
    expect(answer.structuredContent).toMatchObject({ status: 'ok', state: { n: 2, keep: [1, 'a'], line: 'typed' } });
  });

  it('keeps variables in a session until it is closed', async () => {
    const session_id = await openSession();
    await python('def add(a, b):\n    return a + b', { session_id });
    expect((await python('add(10, 20)', { session_id })).structuredContent).toMatchObject({ result: '30', session_id });
    expect((await python('1 / 0', { session_id })).structuredContent).toMatchObject({
      error: { name: 'ZeroDivisionError' },
    });
    expect((await python('add(1, 2)', { session_id })).structuredContent).toMatchObject({ result: '3' });
    expect((await call(client, 'list_sessions')).structuredContent).toMatchObject({ sessions: [{ session_id }] });
    expect((await call(client, 'close_session', { session_id })).isError).toBe(false);
    const late = await python('1', { session_id });
    expect(late.structuredContent).toMatchObject({ status: 'rejected' });
  });

  it('lists the variables of a session, and nothing that IPython has put there', async () => {
    const session_id = await openSession();
    await python('from IPython import get_ipython\nimport math\nx = 1\ndef f(): pass', { session_id });
    const register = 'get_ipython().events.register("post_run_cell", lambda result: print("time: 1 ms"))';
    await python(register, { session_id });
    const answer = await call(client, 'session_variables', { session_id });
    expect(answer.structuredContent).toEqual({ session_id, variables: [{ name: 'x', type: 'int', value: '1' }] });
    await call(client, 'close_session', { session_id });
  });

  it('sends a plot as an image', async () => {
    const answer = await python(PLOT);
    expect(answer.structuredContent).toMatchObject({ status: 'ok', displays: [{ image_index: 0 }] });
    const image = answer.content.find((item) => item.type === 'image');
    expect(image?.mimeType).toBe('image/png');
    expect(Buffer.from(image?.data ?? '', 'base64').toString('latin1', 1, 4)).toBe('PNG');
  });

  it('returns status timeout after the limit', async () => {
    const answer = await python('while True: pass', { timeout_seconds: 0.5 });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({ status: 'timeout' });
  });

  it('interrupts a cancelled call and keeps its session', async () => {
    const session_id = await openSession();
    await python('kept = 7', { session_id });
    const controller = new AbortController();
    const { begun, answer } = startEndless(session_id, controller.signal);
    expect(await begun).toBe('begun\n');
    controller.abort();
    await expect(answer).rejects.toThrow();
    const after = await python('kept', { session_id });
    expect(after.structuredContent).toMatchObject({ status: 'ok', result: '7' });
    await call(client, 'close_session', { session_id });
  });

  it('interrupts a session with interrupt_session', async () => {
    const session_id = await openSession();
    const { begun, answer } = startEndless(session_id);
    await begun;
    expect((await call(client, 'interrupt_session', { session_id })).isError).toBe(false);
    const { status, error } = ((await answer) as { structuredContent: RunAnswer }).structuredContent;
    expect([status, error]).toEqual(['interrupted', expect.objectContaining({ name: 'KeyboardInterrupt' })]);
    await call(client, 'close_session', { session_id });
  });

  it('rejects a request that cannot run, with the reason', async () => {
    const empty = await python('');
    expect(empty.structuredContent).toMatchObject({ status: 'rejected' });
    const huge = await python(`#${'x'.repeat(1_100_000)}`);
    expect(huge.structuredContent).toMatchObject({ status: 'rejected' });
    expect(textOf(await python('1', { session_id: 'nope' }))).toContain('nope');
  });

  it('gets a result below the size limit however much a run prints', async () => {
    const session_id = await openSession();
    const flood = `import sys\nprint(chr(0) * 9_000_000)\nprint("x" * 9_000_000, file=sys.stderr)\nkept = 7`;
    const { structuredContent } = await python(flood, { session_id, timeout_seconds: 120 });
    expect(structuredContent).toMatchObject({ status: 'ok', truncated: true });
    expect(JSON.stringify(structuredContent).length).toBeLessThan(9 * 1024 * 1024);
    const after = await python('kept', { session_id });
    expect(after.structuredContent).toMatchObject({ status: 'ok', result: '7' });
    await call(client, 'close_session', { session_id });
  });

  it('gets the name of a variable that JSON cannot hold', async () => {
    const { structuredContent } = await python('n = 10 ** 400\nm = 1', { state: {} });
    expect(structuredContent).toMatchObject({ state: { m: 1 }, notes: ['Left out of state: n is beyond 1.8e308.'] });
  });
});
