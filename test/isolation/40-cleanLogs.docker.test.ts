import { randomBytes } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '../../src/base/log.ts';
import { ended, start } from '../cli/program.ts';
import { call, connectHttp } from '../mcp/connect.ts';
import { testHost } from '../testHost.ts';
import { type Isolated, isolationEngine } from './harness.ts';
import { goodHead, linesOf, type Served, sendRaw, serve } from './mcpServer.ts';

/** In every canary, and nowhere else. */
const NONCE = randomBytes(12).toString('hex');

/** Code that emits a canary in every possible way; `%s` is the canary. */
const LEAKS: Readonly<Record<string, string>> = {
  comment: '# %s',
  stdout: "print('%s')",
  stderr: "import sys; print('%s', file=sys.stderr)",
  result: "'%s'",
  error: "raise ValueError('%s')",
  'error class': "raise type('%s', (Exception,), {})()",
  'exit message': "raise SystemExit('%s')",
  'syntax error': "('%s'",
  warning: "import warnings; warnings.warn('%s')",
  display: "from IPython.display import display, HTML; display(HTML('%s'))",
  'file name': "open('%s', 'w').write('x')",
  'process name': "import subprocess; subprocess.run(['sh', '-c', 'echo $0 >&2; kill -9 $$', '%s'])",
  'environment variable': "import os; os.environ['X'] = '%s'",
  'control sequence': "print('\\x1b]0;%s\\x07')",
  'every descriptor':
    'import os\nfor fd in range(1, 64):\n  try: os.write(fd, b\'\\n{"type": "%s"}\\n\' * 3)\n  except OSError: pass',
  'killed by itself': "import os; mark = '%s'; os.kill(os.getpid(), 9)",
  'killed for memory': "mark = '%s'\nx = []\nwhile True: x.append(b'x' * (1 << 24))",
  timeout: "mark = '%s'\nwhile True: pass",
};

describe('row 40: no code, output or token in logs', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  let isolated: Isolated;
  let served: Served;
  let client: Client;
  beforeAll(async () => {
    isolated = await isolationEngine({ limits: { memoryMb: 128 } }, { log });
    served = await serve(isolated.engine, { log });
    client = await connectHttp(served.url, served.token);
  });
  afterAll(async () => {
    await served.dispose();
    await isolated.dispose();
    expectClean();
  });

  const python = (code: string, more: Record<string, unknown> = {}) =>
    call(client, 'run_code', { language: 'python', code, timeout_seconds: 2, ...more });
  const isLeased = () =>
    isolated.engine.snapshot().environments.some(({ sandboxes }) => sandboxes.some(({ state }) => state === 'leased'));
  function expectClean() {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(NONCE) || line.includes(served.token))).toEqual([]);
  }

  it.each(Object.entries(LEAKS))('from a run with its %s', async (name, code) => {
    const canary = `x${NONCE}_${name.replaceAll(' ', '_')}`;
    const { structuredContent } = await python(code.replace('%s', canary));
    expect(structuredContent?.status).toMatch(/^(ok|error|timeout|out_of_memory)$/);
    expectClean();
  });

  it('from arguments: state, stdin, a session, and rejected ones', async () => {
    const { structuredContent } = await python(`y = x + input()`, { state: { x: NONCE }, stdin: NONCE });
    expect(structuredContent).toMatchObject({ status: 'ok', state: { y: NONCE + NONCE } });
    const opened = await call(client, 'open_session', { language: 'python' });
    const session_id = String(opened.structuredContent?.session_id);
    await python(`kept = '${NONCE}'`, { session_id });
    expect((await python('kept', { session_id })).structuredContent).toMatchObject({ result: `'${NONCE}'` });
    await call(client, 'close_session', { session_id });
    for (const wrong of [{ language: NONCE }, { session_id: NONCE }, { [NONCE]: 1 }, { state: NONCE }]) {
      expect((await python(NONCE, wrong)).isError).toBe(true);
    }
    await expect(call(client, NONCE)).rejects.toThrow();
    expect((await python(`#${NONCE.repeat(50_000)}`)).isError).toBe(true);
    expectClean();
  });

  it('from rejected requests', async () => {
    const head = goodHead(served);
    const wrong = { ...head, authorization: [`Authorization: Bearer ${NONCE}`] };
    expect((await sendRaw(served.port, linesOf(wrong), NONCE)).status).toBe(401);
    expect((await sendRaw(served.port, linesOf(head), `{"${NONCE}"`)).status).toBe(400);
    expect((await sendRaw(served.port, linesOf({ ...head, host: [`Host: ${NONCE}`] }))).status).toBe(403);
    expectClean();
  });

  it('from a lost sandbox', async () => {
    const running = python(`print('${NONCE}', flush=True)\nwhile True: pass`, { timeout_seconds: 30 });
    while (!isLeased()) await new Promise((resolve) => setTimeout(resolve, 20));
    const before = lines.length;
    const host = testHost();
    await Promise.all((await isolated.containers()).map((id) => host.remove(id)));
    await host.dispose();
    expect((await running).structuredContent).toMatchObject({ status: 'sandbox_lost' });
    expect(lines.length).toBeGreaterThan(before);
    expectClean();
  });
});

it('row 40: `hothouse serve --verbose` prints its token once, on its own terminal, and no code or output', async () => {
  const program = start(['serve', '--json', '--verbose']);
  const written = ended(program);
  const line = await new Promise<string>((resolve) => program.stdout?.once('data', (chunk) => resolve(String(chunk))));
  const { url, token } = JSON.parse(line);
  const client = await connectHttp(url, token);
  const code = `print('${NONCE}')\nraise ValueError('${NONCE}')`;
  expect((await call(client, 'run_code', { language: 'python', code })).isError).toBe(true);
  await client.close();
  program.kill('SIGTERM');
  const { stdout, stderr } = await written;
  expect(stdout).toBe(line);
  expect(stderr.split('\n').length).toBeGreaterThan(2);
  expect([stderr.includes(NONCE), stderr.includes(token)]).toEqual([false, false]);
});
