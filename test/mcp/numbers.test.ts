import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { serveStdio } from '../../src/mcp/stdio/stdioServer.ts';
import { call, connectInMemory, ERAS, type Era, textOf } from './connect.ts';
import { runResult, StubEngine } from './stubEngine.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.dispose()));
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

/** A call of `run_code` as text, for `JSON.stringify` writes no number that is out of range. */
function callText(era: Era, more: string): string {
  const args = `{"language":"python","code":"1",${more}}`;
  const meta = era === '2026-07-28' ? `,"_meta":${JSON.stringify(META)}` : '';
  return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":${args}${meta}}}`;
}

async function overHttp(era: Era, engine: StubEngine, more: string): Promise<string> {
  const server = await startHttpServer({ engine, version: '1', log: silentLog });
  servers.push(server);
  const headers = {
    Authorization: `Bearer ${server.token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const post = (body: string, extra: Record<string, string>) =>
    fetch(server.url, { method: 'POST', headers: { ...headers, ...extra }, body });
  const standard = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'run_code' };
  if (era === '2026-07-28') return (await post(callText(era, more), standard)).text();
  const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: CLIENT }), {});
  return (await post(callText(era, more), { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' })).text();
}

async function overStdio(era: Era, engine: StubEngine, more: string): Promise<string> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ engine, version: '1', log: silentLog, stdin, stdout });
  if (era === '2025-11-25') {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: CLIENT })}\n`);
  }
  stdin.write(`${callText(era, more)}\n`);
  let text = '';
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('"id":2')) break;
  }
  stdin.end();
  await served;
  return text;
}

const ways = ERAS.flatMap((era) => [[era, 'HTTP', overHttp] as const, [era, 'stdio', overStdio] as const]);

describe.each(ways)('a number beyond the range of doubles, sent by %s over %s', (era, _name, send) => {
  it.each([
    ['timeout_seconds', '"timeout_seconds":1e999'],
    ['timeout_seconds', '"timeout_seconds":-1e400'],
    ['timeout_seconds', `"timeout_seconds":${'9'.repeat(400)}`],
    ['state.x', '"state":{"y":1e308,"x":1e999}'],
    ['state.a[1].b', '"state":{"a":[1,{"b":-1e999}]}'],
    ['nonsense', '"nonsense":1e999'],
  ])('is refused, and %s is named', async (place, more) => {
    const engine = new StubEngine();
    const answer = await send(era, engine, more);
    expect(answer).toContain(`Argument \\"${place}\\" must be a number from -1.8e308 to 1.8e308, or a string.`);
    expect(engine.requests).toEqual([]);
  });

  it('does not affect the largest number in range', async () => {
    const engine = new StubEngine();
    await send(era, engine, '"state":{"x":1.7976931348623157e308,"y":[1e-999,{"z":null}]}');
    expect(engine.requests).toMatchObject([{ state: { x: Number.MAX_VALUE, y: [0, { z: null }] } }]);
  });
});

describe('a number beyond the range of doubles, from a run', () => {
  const infinite: unknown = JSON.parse('1e999');

  it('omits its variable, which is named, and keeps the others', async () => {
    const engine = new StubEngine();
    engine.answer = async () => runResult({ state: { a: 1, b: { c: [infinite] }, d: null } });
    const answer = await call(await connectInMemory(engine), 'run_code', { language: 'python', code: '1' });
    expect(answer.structuredContent).toMatchObject({
      state: { a: 1, d: null },
      notes: ['Left out of state: b.c[0] is beyond 1.8e308.'],
    });
    expect(answer.structuredContent?.state).not.toHaveProperty('b');
    expect(textOf(answer)).toContain('Left out of state: b.c[0] is beyond 1.8e308.');
  });

  it('appears as text in a JSON display', async () => {
    const engine = new StubEngine();
    engine.answer = async () =>
      runResult({ displays: [{ data: { 'application/json': { a: [infinite, 2] } }, id: null }] });
    const answer = await call(await connectInMemory(engine), 'run_code', { language: 'python', code: '1' });
    const { displays = [] } = answer.structuredContent as RunAnswer;
    expect(displays[0]?.texts?.['application/json']).toBe('{"a":["Infinity",2]}');
  });
});
