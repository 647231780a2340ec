import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio, ended, start } from '../headless/program.ts';
import { call, connectHttp, textOf } from './connect.ts';

const PLOT = 'import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()';

/** A client of `hothouse serve`, a process of its own that ends with it. */
async function connectServe(): Promise<{ client: Client; end(): Promise<unknown> }> {
  const child = start(['serve', '--json']);
  const line = await new Promise<string>((resolve) => child.stdout?.once('data', (chunk) => resolve(String(chunk))));
  const { url, token } = JSON.parse(line);
  const client = await connectHttp(url, token);
  const end = async () => {
    await client.close();
    child.kill('SIGTERM');
    return ended(child);
  };
  return { client, end };
}

async function connectOverStdio() {
  const client = await connectStdio();
  return { client, end: () => client.close() };
}

describe.each([
  ['stdio', connectOverStdio],
  ['HTTP', connectServe],
] as const)('a real client over %s on a real Docker Engine', (_name, connect) => {
  let client: Client;
  let end: () => Promise<unknown>;

  beforeAll(async () => {
    ({ client, end } = await connect());
  });
  afterAll(() => end());

  const python = (code: string, more: Record<string, unknown> = {}) =>
    call(client, 'run_code', { language: 'python', code, ...more });

  it('runs code once: output, value, nothing kept', async () => {
    const answer = await python('import sys\nx = 20\nprint("hi")\nprint("oh", file=sys.stderr)\nx + 1');
    expect(answer.isError).toBe(false);
    expect(answer.structuredContent).toMatchObject({
      status: 'ok',
      stdout: 'hi\n',
      stderr: 'oh\n',
      result: '21',
      error: null,
    });
    const second = await python('x');
    expect(second.isError).toBe(true);
    expect(second.structuredContent).toMatchObject({ status: 'error', error: { name: 'NameError' } });
  });

  it('carries state in and out, and stdin', async () => {
    const answer = await python('n += 1\nline = input()', { state: { n: 1, keep: [1, 'a'] }, stdin: 'typed\n' });
    expect(answer.structuredContent).toMatchObject({ status: 'ok', state: { n: 2, keep: [1, 'a'], line: 'typed' } });
  });

  it('keeps variables in a session until it is closed', async () => {
    const opened = await call(client, 'open_session', { language: 'python' });
    const session_id = opened.structuredContent?.session_id;
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

  it('sends a plot as an image', async () => {
    const answer = await python(PLOT);
    expect(answer.structuredContent).toMatchObject({ status: 'ok', displays: [{ image_index: 0 }] });
    const image = answer.content.find((item) => item.type === 'image');
    expect(image?.mimeType).toBe('image/png');
    expect(Buffer.from(image?.data ?? '', 'base64').toString('latin1', 1, 4)).toBe('PNG');
  });

  it('tells a timeout', async () => {
    const answer = await python('while True: pass', { timeout_seconds: 0.5 });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({ status: 'timeout' });
  });

  it('interrupts a cancelled call and keeps its session', async () => {
    const opened = await call(client, 'open_session', { language: 'python' });
    const session_id = opened.structuredContent?.session_id;
    await python('kept = 7', { session_id });
    const controller = new AbortController();
    const endless = { language: 'python', code: 'import time\nprint("begun", flush=True)\ntime.sleep(60)', session_id };
    const begun = new Promise<string | undefined>((resolve) => {
      const onprogress = ({ message }: { message?: string | undefined }) => resolve(message);
      const options = { signal: controller.signal, onprogress };
      client.callTool({ name: 'run_code', arguments: endless }, undefined, options).catch(() => {});
    });
    expect(await begun).toBe('begun\n');
    controller.abort();
    const after = await python('kept', { session_id });
    expect(after.structuredContent).toMatchObject({ status: 'ok', result: '7' });
    await call(client, 'close_session', { session_id });
  });

  it('interrupts a session from outside', async () => {
    const opened = await call(client, 'open_session', { language: 'python' });
    const session_id = opened.structuredContent?.session_id;
    const running = python('import time\ntime.sleep(60)', { session_id });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await call(client, 'interrupt_session', { session_id })).isError).toBe(false);
    expect((await running).structuredContent).toMatchObject({ status: 'interrupted' });
    await call(client, 'close_session', { session_id });
  });

  it('refuses what cannot be run, with the reason', async () => {
    const empty = await python('');
    expect(empty.structuredContent).toMatchObject({ status: 'rejected' });
    const huge = await python(`#${'x'.repeat(1_100_000)}`);
    expect(huge.structuredContent).toMatchObject({ status: 'rejected' });
    expect(textOf(await python('1', { session_id: 'nope' }))).toContain('nope');
  });
});
