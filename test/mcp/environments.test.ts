import { Client as CurrentClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { call, connectAsking, connectInMemory, textOf } from './connect.ts';
import { StubEngine } from './stubEngine.ts';

const INPUT = { name: 'data', language: 'python', pip: ['tqdm', 'requests>=2'] };

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.dispose();
  server = undefined;
});

describe('create_environment', () => {
  it('asks the user of the client and creates the environment after they agree', async () => {
    const engine = new StubEngine();
    const questions: string[] = [];
    const client = await connectAsking(engine, 'accept', questions);
    const created = await call(client, 'create_environment', INPUT);
    expect(created.isError).toBe(false);
    expect(textOf(created)).toBe('Created data (python): tqdm, requests>=2');
    expect(questions).toEqual([
      'Create the environment data for python? It installs tqdm (pip), requests>=2 (pip) on this machine, in a container image.',
    ]);
    const listed = await call(client, 'list_environments');
    expect(textOf(listed)).toBe('data (python): tqdm, requests>=2');
    await call(client, 'run_code', { language: 'python', code: '1', environment: 'data' });
    expect(engine.requests.at(-1)).toMatchObject({ environment: 'data' });
  });

  it('creates nothing when the user declines, or when the client cannot ask', async () => {
    const engine = new StubEngine();
    for (const client of [await connectAsking(engine, 'decline'), await connectInMemory(engine)]) {
      const refused = await call(client, 'create_environment', INPUT);
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain('needs the agreement of the user');
      expect(textOf(refused)).toContain('hothouse env create');
    }
    expect(await engine.environments.list()).toEqual([]);
  });

  it('asks a client of revision 2026-07-28 by a result that requires input', async () => {
    const engine = new StubEngine();
    server = await startHttpServer({ engine, version: '1', log: silentLog, port: 0 });
    const client = new CurrentClient(
      { name: 'test-client', version: '9' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
    );
    let action: 'accept' | 'decline' = 'decline';
    client.setRequestHandler('elicitation/create', () => ({ action, content: {} }));
    const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
    const create = async () =>
      (await client.callTool({ name: 'create_environment', arguments: INPUT })) as CallToolResult;
    expect((await create()).isError).toBe(true);
    action = 'accept';
    expect(textOf(await create())).toBe('Created data (python): tqdm, requests>=2');
    await client.close();
  });

  it('refuses names of packages that are options, and arguments that it does not have', async () => {
    const client = await connectAsking(new StubEngine(), 'accept');
    const option = await call(client, 'create_environment', { ...INPUT, pip: ['--index-url=http://evil.example'] });
    expect(textOf(option)).toContain('options, URLs and paths are not accepted');
    for (const argument of ['base', 'network', 'replace', 'lock']) {
      const refused = await call(client, 'create_environment', { ...INPUT, [argument]: 'x' });
      expect(textOf(refused)).toContain(`There is no argument "${argument}"`);
    }
  });
});
