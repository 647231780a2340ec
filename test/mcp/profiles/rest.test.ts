import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import type { Engine } from '../../../src/engine/types.ts';
import { type HttpServer, startHttpServer } from '../../../src/mcp/http/httpServer.ts';
import { runResult, StubEngine } from '../stubEngine.ts';
import { RestClient } from './restClient.ts';

let engine: StubEngine;
let server: HttpServer;
let client: RestClient;
beforeEach(async () => {
  engine = new StubEngine();
  const findToken = (token: string) => (token === OTHER_TOKEN ? { ok: true as const, id: 'other' } : null);
  server = await startHttpServer({ engine, version: '1', log: silentLog, findToken });
  client = new RestClient(server);
});
afterEach(() => server.dispose());

const OTHER_TOKEN = 'the-token-of-another-client';

const PYTHON = { language: 'python', code: '1' };

/** Prints each text with a pause after it, until it is interrupted. */
function printing(...texts: readonly string[]): Engine['run'] {
  return async (_, onOutput, signal) => {
    for (const text of texts) {
      onOutput?.({ kind: 'stdout', text });
      await delay(100, undefined, { signal }).catch(() => {});
    }
    return signal?.aborted ? runResult({ status: 'interrupted' }) : runResult({ stdout: texts.join('') });
  };
}

describe('the REST interface of docker-executor', () => {
  it.each([
    ['no token', {}],
    ['another token', { Authorization: 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['another scheme', { Authorization: 'Basic AAAA' }],
  ])('refuses a request with %s', async (_, headers) => {
    const response = await fetch(`${client.base}/files`, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
    expect(await response.json()).toEqual({ detail: expect.stringMatching(/^Authorization must be Bearer/) });
  });

  it.each([
    ['Host', 'evil.example'],
    ['Origin', 'http://evil.example'],
  ])('refuses a request with a foreign %s, also for its pages', async (name, value) => {
    for (const path of ['/files', '/docs', '/openapi.json']) {
      const { status } = await client.raw('GET', path, { [name]: value });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  it('serves its description and its page without a token', async () => {
    const page = await fetch(`${client.base}/docs`);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const text = await page.text();
    expect(text).toContain('/executions/{execution_id}/stream');
    expect(text).not.toMatch(/<script|src=|href="(?!openapi\.json)/);
    expect(text).not.toContain(server.token);
    const description = (await (await fetch(`${client.base}/openapi.json`)).json()) as { readonly paths: object };
    expect(Object.keys(description.paths)).toContain('/files/stats');
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/nope', 404],
    ['GET', '/files/a/b', 404],
    ['GET', '/files/', 404],
    ['GET', '/files/..%2f..%2fetc%2fpasswd', 404],
    ['GET', '/executions/__proto__', 404],
    ['POST', '/docs', 404],
    ['PUT', '/execute', 405],
    ['PATCH', '/files/x', 405],
  ])('answers %s %s with status %i', async (method, path, status) => {
    const answer = await client.send(method, path);
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['detail']]);
  });

  it.each<[string, unknown, string, unknown]>([
    ['a list', [], 'model_attributes_type', ['body']],
    ['null', null, 'missing', ['body']],
    ['code that is a number', { language: 'python', code: 1 }, 'string_type', ['body', 'code']],
    [
      'a variable that is a number',
      { ...PYTHON, environment_variables: { A: 1 } },
      'string_type',
      ['body', 'environment_variables', 'A'],
    ],
    [
      'limits that are null',
      { ...PYTHON, resource_limits: null },
      'model_attributes_type',
      ['body', 'resource_limits'],
    ],
    [
      'half a second',
      { ...PYTHON, resource_limits: { timeout_seconds: 10.5 } },
      'int_from_float',
      ['body', 'resource_limits', 'timeout_seconds'],
    ],
    [
      'a time limit of two hours',
      { ...PYTHON, resource_limits: { timeout_seconds: 7200 } },
      'less_than_equal',
      ['body', 'resource_limits', 'timeout_seconds'],
    ],
    [
      'memory that no integer holds',
      { ...PYTHON, resource_limits: { memory_mb: 1e300 } },
      'less_than_equal',
      ['body', 'resource_limits', 'memory_mb'],
    ],
  ])('names what is wrong with a body: %s', async (_, body, type, loc) => {
    const answer = await client.send('POST', '/execute', body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type, loc, msg: expect.any(String) }] } });
    expect(engine.requests).toEqual([]);
  });

  it('repeats at most the beginning of a wrong value', async () => {
    const { body } = await client.send('POST', '/execute', { language: 'x'.repeat(1_000_000), code: '' });
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it('refuses a body over 8 MiB and one that is nested too deep', async () => {
    const large = await client.raw('POST', '/execute', {}, JSON.stringify({ ...PYTHON, code: ' '.repeat(9_000_000) }));
    expect(large.status).toBe(413);
    const deep = await client.raw('POST', '/execute', {}, `${'['.repeat(600)}${']'.repeat(600)}`);
    expect([deep.status, deep.text]).toEqual([422, expect.stringContaining('json_invalid')]);
  });

  it('passes stdin and the time limit to the run', async () => {
    await client.send('POST', '/execute', { ...PYTHON, input_data: 'a\n', resource_limits: { timeout_seconds: 20 } });
    expect(engine.requests).toMatchObject([{ language: 'python', code: '1', stdin: 'a\n', timeoutSeconds: 20 }]);
  });

  it('returns status timeout after the time limit', async () => {
    engine.answer = async () => runResult({ status: 'timeout' });
    const { body } = await client.send('POST', '/execute', PYTHON);
    expect(body).toMatchObject({ status: 'timeout', exit_code: 124, error_message: expect.stringContaining('limit') });
  });

  it('interrupts an execution whose client has gone', async () => {
    engine.answer = printing(...Array<string>(100).fill('line\n'));
    const gone = new AbortController();
    const sent = client.send('POST', '/execute', PYTHON, gone.signal).catch(() => {});
    while (engine.requests.length === 0) await delay(10);
    gone.abort();
    await sent;
    while (engine.aborted.length === 0) await delay(10);
    expect(engine.aborted).toEqual(['1']);
  });

  it('runs a streamed execution on when clients of its stream go, and a later one gets all lines', async () => {
    engine.answer = printing('one\ntw', 'o\n', 'three');
    const { body } = await client.send('POST', '/execute/stream', PYTHON);
    expect(body).toEqual({ execution_id: expect.stringMatching(/^stream_\d+_[0-9a-f]{8}$/), status: 'started' });
    const id = String(body.execution_id);
    await client.firstEvent(id);
    expect(await client.send('GET', `/executions/${id}`)).toMatchObject({ body: { status: 'running' } });
    const events = await client.events(id);
    expect(events.flatMap(({ logs }) => logs)).toEqual(['one', 'two', 'three']);
    expect(events.length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ status: 'completed', response: { stdout: 'one\ntwo\nthree' }, error: null });
    expect(engine.aborted).toEqual([]);
    expect(await client.send('GET', `/executions/${id}`)).toMatchObject({
      body: { status: 'completed', exit_code: 0 },
    });
    const later = await client.events(id);
    expect(later).toMatchObject([{ status: 'completed', logs: ['one', 'two', 'three'] }]);
  });

  it('continues a stream after the last event that a client has seen', async () => {
    engine.answer = printing('one\n', 'two\n');
    const id = await client.start(PYTHON);
    await client.events(id);
    expect((await client.events(id, { 'Last-Event-ID': '1' })).flatMap(({ logs }) => logs)).toEqual(['two']);
    expect((await client.events(id, { 'Last-Event-ID': 'nope' })).flatMap(({ logs }) => logs)).toEqual(['one', 'two']);
  });

  it('keeps the lines of two streams apart', async () => {
    engine.answer = async (run, onOutput, signal) =>
      printing(`${run.code}1\n`, `${run.code}2\n`)(run, onOutput, signal);
    const ids = await Promise.all(['a', 'b'].map((code) => client.start({ language: 'python', code })));
    const both = await Promise.all(ids.map((id) => client.events(id)));
    expect(both.map((events) => events.flatMap(({ logs }) => logs))).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
  });

  it('keeps at most 10,000 lines of an execution, and says so', async () => {
    engine.answer = printing('x\n'.repeat(20_000));
    const id = await client.start(PYTHON);
    const lines = (await client.events(id)).flatMap(({ logs }) => logs);
    expect([lines.length, lines.at(-1)]).toEqual([10_001, '[The result has all further lines.]']);
  });

  it('refuses to start more than 100 executions at once', async () => {
    engine.answer = printing(...Array<string>(50).fill('line\n'));
    const answers = await Promise.all(
      Array.from({ length: 101 }, () => client.send('POST', '/execute/stream', PYTHON)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([{ status: 503, body: { detail: expect.stringContaining('Wait') } }]);
  });

  it('answers a client with another token as if executions and files did not exist', async () => {
    const other = new RestClient({ url: server.url, token: OTHER_TOKEN });
    const { body: execution } = await client.send('POST', '/execute', PYTHON);
    const id = await client.start(PYTHON);
    await client.events(id);
    const { body: file } = await client.send('POST', '/files/upload', { ...PYTHON, filename: 'a', content: 'x' });
    for (const path of [`/executions/${execution.execution_id}`, `/executions/${id}`, `/files/${file.file_id}`]) {
      const own = await client.send('GET', path);
      const foreign = await other.send('GET', path);
      expect([own.status, foreign.status]).toEqual([200, 404]);
    }
    expect(await other.events(id)).toEqual([{ error: 'Execution not found' }]);
    expect(await other.send('DELETE', `/files/${file.file_id}`)).toMatchObject({ status: 404 });
    expect(await other.send('GET', '/files')).toMatchObject({ body: { total_count: 0 } });
    expect(engine.requests.map(({ owner }) => owner.id)).not.toContain('mcp-token-other');
  });

  it('forgets the oldest of 1,001 results', async () => {
    const { body } = await client.send('POST', '/execute', PYTHON);
    const first = `/executions/${body.execution_id}`;
    for (let count = 0; count < 1_000; count += 1) await client.send('POST', '/execute', PYTHON);
    expect((await client.send('GET', first)).status).toBe(404);
  });

  it('ends streams and interrupts their executions when the server ends', async () => {
    engine.answer = printing(...Array<string>(100).fill('line\n'));
    const events = client.events(await client.start(PYTHON)).catch(() => []);
    while (engine.requests.length === 0) await delay(10);
    await server.dispose();
    await events;
    expect(engine.aborted).toEqual(['1']);
  });
});

describe('uploaded files', () => {
  const upload = (file: object) => client.send('POST', '/files/upload', { language: 'python', ...file });

  it.each(['../../etc/passwd', '/etc/passwd', '..', 'a\\..\\b', '.ssh/../x', 'nul\u0000l', '\u202e.py'])(
    'have paths below uploads, whatever their names: %j',
    async (filename) => {
      const { body } = await upload({ filename, content: 'x' });
      expect(body).toMatchObject({
        success: true,
        file_path: expect.stringMatching(/^uploads\/python\/[0-9a-f-]{36}_(?!\.)[\w.-]+$/),
      });
      expect(await client.send('GET', `/files/${body.file_id}`)).toMatchObject({ body: { filename, content: 'x' } });
    },
  );

  it('count in the statistics', async () => {
    await upload({ filename: 'a', content: 'äb' });
    await upload({ filename: 'b', content: 'x', language: 'bash' });
    const files_by_language = { python: 1, node: 0, csharp: 0, bash: 1 };
    expect(await client.send('GET', '/files/stats')).toMatchObject({
      status: 200,
      body: { total_files: 2, total_size: 4, files_by_language },
    });
  });

  it('come and go as base64 when they are binary', async () => {
    const content = Buffer.from('print("ä")').toString('base64');
    const { body } = await upload({ filename: 'a.py', content, binary: true });
    expect(await client.send('GET', `/files/${body.file_id}`)).toMatchObject({ body: { content, binary: true } });
    await client.send('POST', `/files/${body.file_id}/execute`, { file_id: body.file_id });
    expect(engine.requests).toMatchObject([{ code: 'print("ä")' }]);
    for (const wrong of ['not base64!', Buffer.from([0xff, 0xfe]).toString('base64')]) {
      expect(await upload({ filename: 'b', content: wrong, binary: true })).toMatchObject({ body: { success: false } });
    }
  });

  it('are refused above 64 MiB together', async () => {
    const content = ' '.repeat(8_000_000);
    const answers = [];
    for (let count = 0; count < 9; count += 1) answers.push(await upload({ filename: 'a', content }));
    expect(answers.map(({ body }) => body.success)).toEqual([...Array<boolean>(8).fill(true), false]);
  });

  it('do not run in a container that a client names', async () => {
    const { body } = await upload({ filename: 'a', content: 'x' });
    const answer = await client.send('POST', `/files/${body.file_id}/execute`, { file_id: 'a', container_id: 'c' });
    expect(answer.body).toMatchObject({ status: 'failed', error_message: expect.stringContaining('container_id') });
  });
});

describe('images', () => {
  it('have packages of requirements, by language', async () => {
    const requirements = { python: 'requests==2.31.0\n# a comment\n\nsix  # why', node: 'lodash==4.17.21' };
    const languages = ['python', 'node'];
    const { body } = await client.send('POST', '/images/create', { languages, requirements, image_name: 'mine' });
    expect(body).toMatchObject({ success: true, image_id: 'mine', build_logs: ['building\n', 'building\n'] });
    const packages = (await engine.environments.list()).map((one) => one.packages);
    expect(packages).toMatchObject([{ pip: ['requests==2.31.0', 'six'] }, { npm: ['lodash@4.17.21'] }]);
  });

  it.each([
    ['requirements of another language', { requirements: { ruby: 'x' } }, 'ruby'],
    ['a package that is shell text', { requirements: { python: 'six; touch /tmp/x' } }, 'not the name of a package'],
    ['a Dockerfile', { custom_dockerfile: 'FROM scratch' }, 'custom_dockerfile'],
  ])('are not built from %s', async (_, more, message) => {
    const { body } = await client.send('POST', '/images/create', { languages: ['python'], image_name: 'x', ...more });
    expect(body).toMatchObject({ success: false, image_id: null, error_message: expect.stringContaining(message) });
    expect(await engine.environments.list()).toEqual([]);
  });

  it.each([
    ['python', '1.0', { pip: ['a==1.0'] }],
    ['node', '1.0', { npm: ['a@1.0'] }],
    ['bash', '1.0', { apt: ['aa=1.0'] }],
  ])('take one version of a package: %s', async (language, package_version, packages) => {
    const package_name = language === 'bash' ? 'aa' : 'a';
    const args = { image_id: 'mcp-executor-test:latest', language, package_name, package_version };
    expect((await client.send('POST', '/packages/install', args)).body).toMatchObject({ success: true });
    expect(await engine.environments.list()).toMatchObject([{ packages }]);
  });

  it('are never named by a package with shell text', async () => {
    for (const package_name of ['six && id', '$(id)', '`id`', '--index-url=http://x', 'a\nRUN id', '../x']) {
      const args = { image_id: 'mcp-executor-test', language: 'python', package_name };
      expect((await client.send('POST', '/packages/install', args)).body).toMatchObject({ success: false });
    }
    expect(await engine.environments.list()).toEqual([]);
  });
});

it('a connection that breaks in the middle of a body leaves the server working', async () => {
  const { hostname, port } = new URL(server.url);
  const headers = { ...client.headers, 'Content-Length': 100 };
  const broken = request({ hostname, port, path: '/docker-executor/execute', method: 'POST', headers });
  broken.on('error', () => {});
  broken.write('{"lang');
  await delay(50);
  broken.destroy();
  expect((await client.send('GET', '/files')).status).toBe(200);
});
