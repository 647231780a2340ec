import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { serveStdio } from '../../../src/mcp/stdio/stdioServer.ts';
import { runResult, StubEngine } from '../stubEngine.ts';

const MB = 1 << 20;
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '2' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const INITIALIZE = { id: 1, method: 'initialize', params: CLIENT };
const DISCOVER = { id: 1, method: 'server/discover', params: { _meta: META } };

/** A client that writes and reads lines. */
function open(engine = new StubEngine()) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ engine, version: '1', log: silentLog, stdin, stdout });
  let text = '';
  stdout.on('data', (chunk) => {
    text += chunk;
  });
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  /** Resolves with the message of that id, or with the `nth` one that has none. */
  const answer = async (id: number | string | null, nth = 0): Promise<Record<string, unknown>> => {
    for (;;) {
      const messages = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      const found = messages.filter((message) => message.id === id)[nth];
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { stdin, stdout, served, send, answer, text: () => text };
}

function runOf(code: string, meta?: object) {
  const params = { name: 'run_code', arguments: { language: 'python', code }, ...(meta && { _meta: meta }) };
  return { method: 'tools/call', params };
}

const forever: StubEngine['answer'] = (_request, _onOutput, signal) =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(runResult())));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each([
  ['2025-11-25', INITIALIZE, undefined],
  ['2026-07-28', DISCOVER, META],
] as const)('MCP over stdio, revision %s', (_revision, opening, meta) => {
  it('answers until stdin ends, then aborts open runs', async () => {
    const engine = new StubEngine();
    engine.answer = forever;
    const { stdin, send, answer, served } = open(engine);
    send(opening);
    expect(await answer(1)).toMatchObject({ result: { capabilities: { tools: {} } } });
    send({ id: 2, ...runOf('forever', meta) });
    await until(() => engine.requests.length === 1);
    stdin.end();
    await served;
    expect(engine.aborted).toEqual(['forever']);
  });

  it('interrupts only the run of a cancelled call', async () => {
    const engine = new StubEngine();
    engine.answer = forever;
    const { stdin, send, answer, served } = open(engine);
    send(opening);
    await answer(1);
    send({ id: 2, ...runOf('one', meta) });
    send({ id: 3, ...runOf('two', meta) });
    await until(() => engine.requests.length === 2);
    send({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await until(() => engine.aborted.length === 1);
    expect(engine.aborted).toEqual(['two']);
    stdin.end();
    await served;
  });

  it('uses one owner for the life of the process', async () => {
    const engine = new StubEngine();
    const { stdin, send, answer, served } = open(engine);
    send(opening);
    for (const id of [2, 3]) {
      send({ id, ...runOf('1', meta) });
      expect(await answer(id)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    }
    expect(new Set(engine.requests.map(({ owner }) => owner.id)).size).toBe(1);
    expect(engine.requests[0]?.owner.label).toMatch(/^raw \d$/);
    stdin.end();
    await served;
  });

  it('answers a line of 40 MB with an error for its id and stays connected', async () => {
    const { stdin, send, answer, served } = open();
    send(opening);
    await answer(1);
    const id = 'the "big" one, {"id":2}';
    const big = JSON.stringify({ jsonrpc: '2.0', ...runOf('x'.repeat(40 * MB), meta), id });
    for (let at = 0; at < big.length; at += MB) stdin.write(big.slice(at, at + MB));
    stdin.write('\n');
    expect(await answer(id)).toMatchObject({ error: { code: -32_600, message: expect.stringContaining('33554432') } });
    send({ id: 3, ...runOf('1', meta) });
    expect(await answer(3)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    stdin.end();
    await served;
  });
});

describe('lines over stdio', () => {
  it('over the limit are not kept in memory', async () => {
    const { stdin, answer, served } = open();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    stdin.write('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"a":"');
    const chunk = Buffer.alloc(MB, 'x');
    for (let n = 0; n < 300; n += 1) {
      if (!stdin.write(chunk)) await new Promise((resolve) => stdin.once('drain', resolve));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    stdin.write('"}}\n');
    expect(await answer(9)).toMatchObject({ error: { code: -32_600 } });
    expect(most).toBeLessThan(100 * MB);
    stdin.end();
    await served;
  });

  it.each([
    ['no JSON', 'hello', null, -32_700],
    ['half of a message', '{"jsonrpc":"2.0","id":4,', null, -32_700],
    ['lists in lists', '['.repeat(3_000_000) + ']'.repeat(3_000_000), null, -32_700],
    ['a list', '[{"jsonrpc":"2.0","id":4,"method":"ping"}]', null, -32_600],
    ['no message', '{"id":"four"}', 'four', -32_600],
    ['wrong parameters', '{"jsonrpc":"2.0","id":4,"method":"ping","params":7}', 4, -32_600],
    ['an id that is none', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', null, -32_600],
  ])('that hold %s are answered with an error, and the next one is read', async (_name, line, id, code) => {
    const { stdin, send, answer, served } = open();
    stdin.write(`${line}\n\n  \n`);
    expect(await answer(id)).toMatchObject({ jsonrpc: '2.0', error: { code } });
    send(INITIALIZE);
    expect(await answer(1)).toMatchObject({ result: {} });
    stdin.end();
    await served;
  });

  it('may arrive in chunks of any size', async () => {
    const { stdin, answer, served } = open();
    const text = `${JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE })}\n${JSON.stringify({ jsonrpc: '2.0', id: 'ä', method: 'ping' })}\n`;
    for (const byte of Buffer.from(text)) stdin.write(Buffer.from([byte]));
    expect(await answer('ä')).toMatchObject({ result: {} });
    stdin.end();
    await served;
  });

  it('are written without control bytes and without loss', async () => {
    const engine = new StubEngine();
    const stdout = '\x1b[31mred\x9b0m \x7f';
    engine.answer = async () => runResult({ stdout });
    const { stdin, send, answer, served, text } = open(engine);
    send(INITIALIZE);
    send({ id: 2, ...runOf('1') });
    expect(await answer(2)).toMatchObject({ result: { structuredContent: { stdout } } });
    expect(text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    stdin.end();
    await served;
  });

  it('stop when the reader of stdout is gone', async () => {
    const { stdout, served } = open();
    stdout.destroy(new Error('EPIPE'));
    await served;
  });
});

it('a client that discovers the revisions may still initialize', async () => {
  const { stdin, send, answer, served } = open();
  send({ ...DISCOVER, id: 'probe' });
  expect(await answer('probe')).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  send(INITIALIZE);
  expect(await answer(1)).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  stdin.end();
  await served;
});

/** As `LongTexts` links it. */
const LONG = 'x'.repeat(20_000);

it.each([
  ['2024-11-05', ['text', 'text']],
  ['2025-03-26', ['text', 'text']],
  ['2025-06-18', ['text', 'resource_link']],
  ['2025-11-25', ['text', 'resource_link']],
])('A client of revision %s gets the address of a long output in content that it knows', async (revision, types) => {
  const engine = new StubEngine();
  engine.answer = async () => runResult({ stdout: LONG });
  const { stdin, send, answer, served } = open(engine);
  send({ ...INITIALIZE, params: { ...CLIENT, protocolVersion: revision } });
  expect(await answer(1)).toMatchObject({ result: { protocolVersion: revision } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, ...runOf('print') });
  const { result } = (await answer(2)) as { result: { content: { type: string; text?: string; uri?: string }[] } };
  expect(result.content.map(({ type }) => type)).toEqual(types);
  const { text = '', uri = /hothouse:\S+/.exec(text)?.[0] } = result.content.at(-1) ?? {};
  expect(uri).toMatch(/^hothouse:\/\/runs\/[\w.-]+\/output\/stdout\.txt$/);
  send({ id: 3, method: 'resources/read', params: { uri } });
  expect(await answer(3)).toMatchObject({ result: { contents: [{ uri, mimeType: 'text/plain', text: LONG }] } });
  stdin.end();
  await served;
});

it.each([
  ['resources/read', { uri: 7 }, 'uri: '],
  ['prompts/get', { name: 'data_analysis', arguments: { question: 7 } }, 'arguments.question: '],
  ['completion/complete', undefined, 'ref: '],
])('%s with wrong parameters is an error of the client, which names them', async (method, params, place) => {
  for (const [opening, meta] of [[INITIALIZE], [DISCOVER, { _meta: META }]] as const) {
    const { stdin, send, answer, served } = open();
    send(opening);
    await answer(1);
    send({ id: 2, method, ...((params || meta) && { params: { ...params, ...meta } }) });
    const message = expect.stringContaining(`Invalid params for ${method}: ${place}`);
    expect(await answer(2)).toMatchObject({ error: { code: -32_602, message } });
    stdin.end();
    await served;
  }
});

it('`initialize` without parameters is an error of the client, which may initialize again', async () => {
  const { stdin, send, answer, served } = open();
  send({ id: 'bare', method: 'initialize' });
  const message = expect.stringContaining('Invalid params for initialize: protocolVersion: ');
  expect(await answer('bare')).toMatchObject({ error: { code: -32_602, message } });
  send(INITIALIZE);
  expect(await answer(1)).toMatchObject({ result: { capabilities: { tools: {} } } });
  stdin.end();
  await served;
});

it.each([
  ['a result that is null', { result: null }],
  ['a result that is a text', { result: 'accept' }],
  ['an error without a code', { error: 'no' }],
  ['an error with colors', { error: { code: -32_601, message: '\x1b[31mno' } }],
])('%s for a question of the server ends the question, and no request of the client', async (_name, part) => {
  const engine = new StubEngine();
  engine.answer = forever;
  engine.onInstall = () => ({
    ok: false,
    error: { kind: 'needs_approval', message: 'It needs agreement.', advice: '' },
  });
  const { stdin, send, answer, served, text } = open(engine);
  send({ ...INITIALIZE, params: { ...CLIENT, capabilities: { elicitation: {} } } });
  await answer(1);
  send({ id: 0, ...runOf('forever') });
  send({
    id: 2,
    method: 'tools/call',
    params: { name: 'install_packages', arguments: { session_id: 's', packages: ['a'] } },
  });
  await until(() => text().includes('elicitation/create'));
  const question = text()
    .split('\n')
    .find((line) => line.includes('elicitation/create'));
  expect(JSON.parse(question ?? '')).toMatchObject({ id: 0 });
  send({ id: 0, ...part });
  const { result } = (await answer(2)) as { result: { content: [{ text: string }] } };
  expect(result).toMatchObject({ isError: true });
  expect(result.content[0].text).not.toContain('\x1b');
  expect(text()).not.toContain('"error":{');
  stdin.end();
  await served;
});
