import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { RunResult } from '../../src/engine/types.ts';
import { MAX_ANSWER_BYTES } from '../../src/mcp/delivery/boundedResult.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { call, connectInMemory, textOf } from './connect.ts';
import { checkAnswer, runResult, StubEngine } from './stubEngine.ts';

const MB = 1 << 20;
const PNG = `iVBORw0KGgo${'A'.repeat(1_400_001)}`;
const MESSAGE = { severity: 'error' as const, line: 1, column: 0, endLine: 1, endColumn: 1 };
const REPORT = {
  messageCount: 0,
  truncated: false,
  verdict: 'rejected' as const,
  messages: [],
  sorries: [],
  axioms: [],
  goals: null,
  notes: [],
  rechecked: [],
  language: 'lean' as const,
};

/** Runs with more output than any answer can hold. */
const FLOODS: Readonly<Record<string, Partial<RunResult>>> = {
  'stdout of NULs, each six bytes of JSON': { stdout: '\0'.repeat(8 * MB) },
  'stdout and stderr': { stdout: 'x'.repeat(8 * MB), stderr: 'y'.repeat(8 * MB) },
  'an error': { error: { name: 'E'.repeat(MB), message: '€'.repeat(4 * MB), traceback: '"\n'.repeat(4 * MB) } },
  'many displays': {
    displays: Array.from({ length: 100_000 }, (_, n) => ({ data: { 'text/plain': `display ${n}` }, id: null })),
  },
  'large displays': {
    displays: Array.from({ length: 400 }, () => ({ data: { 'text/html': '<b>'.repeat(20_000) }, id: null })),
  },
  'displays with names as long as books': {
    displays: Array.from({ length: 20 }, () => ({ data: { [`text/${'\x1b[2J'.repeat(200_000)}`]: 'x' }, id: null })),
  },
  pictures: { displays: Array.from({ length: 16 }, () => ({ data: { 'image/png': PNG }, id: null })) },
  state: { state: { small: 1, large: 'x'.repeat(12 * MB) } },
  messages: {
    report: { ...REPORT, messages: Array.from({ length: 500 }, () => ({ ...MESSAGE, text: 'm'.repeat(60_000) })) },
  },
  'everything at once': {
    stdout: '\x01'.repeat(MB),
    stderr: '😀'.repeat(MB),
    state: { x: 'y'.repeat(3 * MB) },
    displays: Array.from({ length: 16 }, () => ({
      data: { 'image/png': PNG, 'text/plain': 'p'.repeat(MB) },
      id: null,
    })),
    report: { ...REPORT, messages: Array.from({ length: 50_000 }, () => ({ ...MESSAGE, text: 'm'.repeat(100) })) },
  },
};

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.dispose()));
});

/** What a client receives for a run. */
async function wireAnswer(engine: StubEngine, name = 'run_code', args: object = { language: 'python', code: '1' }) {
  const server = await startHttpServer({ engine, version: '1', log: silentLog });
  servers.push(server);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${server.token}`,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }),
  });
  return Buffer.from(await response.arrayBuffer());
}

describe('a tool result', () => {
  it.each(Object.entries(FLOODS))('is never larger than 9 MiB, with %s, and reports the cut', async (_name, run) => {
    const engine = new StubEngine();
    engine.answer = async () => runResult({ status: 'error', exitCode: 3, ...run });
    const args = { language: run.report ? 'lean' : 'python', code: '1' };
    const bytes = await wireAnswer(engine, 'run_code', args);
    expect(bytes.length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    // The same, checked against the schemas by a client.
    const answer = await call(await connectInMemory(engine), 'run_code', args);
    const { status, exit_code, truncated, links, displays } = answer.structuredContent as RunAnswer;
    expect([status, exit_code, answer.isError]).toEqual(['error', 3, true]);
    expect(truncated || links || displays?.some((display) => display.truncated)).toBeTruthy();
    expect(textOf(answer)).toMatch(/\[error, [^\n]*exit code 3, [^\n]*run r1\]/);
  });

  it('that is cut names the paths and sizes of the cuts', async () => {
    const engine = new StubEngine();
    const messages = Array.from({ length: 200 }, () => ({ ...MESSAGE, text: 'm'.repeat(60_000) }));
    engine.answer = async () => runResult({ stderr: 'all of it', state: { kept: 1 }, report: { ...REPORT, messages } });
    const answer = await call(await connectInMemory(engine), 'run_code', { language: 'lean', code: '1' });
    const note = 'This answer was cut to fit into 9437184 bytes: messages[0].text, messages[1].text,';
    expect(answer.structuredContent).toMatchObject({
      ...{ truncated: true, stderr: 'all of it', state: { kept: 1 }, notes: [expect.stringContaining(note)] },
    });
    const { messages: sent } = answer.structuredContent as { messages: { text: string }[] };
    const [, kept = '', left = ''] = /^(m+)\n\[(\d+) more characters\]$/.exec(sent[0]?.text ?? '') ?? [];
    expect(kept.length + Number(left)).toBe(60_000);
    expect(kept.length).toBeGreaterThan(30_000);
    expect(textOf(answer)).toContain(`[${note}`);
    expect(textOf(answer)).toMatch(/\n\[\d+ characters are left out here\]\n/);
  });

  it('has the whole state, or none and a note', async () => {
    const engine = new StubEngine();
    engine.answer = async () => runResult({ state: { a: 'x'.repeat(8 * MB) }, stdout: 'y'.repeat(4 * MB) });
    const answer = await call(await connectInMemory(engine), 'run_code', { language: 'python', code: '1' });
    expect(answer.structuredContent).toMatchObject({ truncated: true });
    expect(answer.structuredContent).not.toHaveProperty('state');
    expect(textOf(answer)).toContain('bytes: state.]');
  });

  it('below the limit is unchanged', async () => {
    const engine = new StubEngine();
    const run = { stdout: 'x'.repeat(16_384), stderr: 'y'.repeat(16_384), state: { a: 'z'.repeat(3 * MB) } };
    engine.answer = async () => runResult(run);
    const answer = await call(await connectInMemory(engine), 'run_code', { language: 'python', code: '1' });
    expect(answer.structuredContent).toMatchObject(run);
    expect(answer.structuredContent).not.toHaveProperty('truncated');
  });

  it('of many proofs has an entry for each as long as they fit', async () => {
    const engine = new StubEngine();
    const report = { ...REPORT, messages: Array.from({ length: 20 }, () => ({ ...MESSAGE, text: 'm'.repeat(1000) })) };
    engine.lean.check = async ({ proofs }) => ({
      ok: true,
      value: proofs.map(() => checkAnswer({ verdict: 'rejected', report })),
    });
    const proofs = Array.from({ length: 2_000 }, () => ({ code: 'x' }));
    expect((await wireAnswer(engine, 'lean_check', { proofs })).length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    const answer = await call(await connectInMemory(engine), 'lean_check', { proofs });
    expect((answer.structuredContent as { results: unknown[] }).results).toHaveLength(2_000);
    expect(textOf(answer)).toContain('This answer was cut to fit into 9437184 bytes: results[0].messages');
  });
});
