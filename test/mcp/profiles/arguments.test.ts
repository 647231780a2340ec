import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { type HttpServer, startHttpServer } from '../../../src/mcp/http/httpServer.ts';
import { call, connectHttp, textOf } from '../connect.ts';
import { StubEngine } from '../stubEngine.ts';

const engine = new StubEngine();
let server: HttpServer;
beforeAll(async () => {
  server = await startHttpServer({ engine, version: '1', log: silentLog });
});
afterAll(() => server.dispose());
beforeEach(() => engine.requests.splice(0));

async function answer(profile: string, name: string, args: Record<string, unknown>): Promise<string> {
  const client = await connectHttp(`${server.url}/${profile}`, server.token);
  try {
    return textOf(await call(client, name, args));
  } finally {
    await client.close();
  }
}

describe('docker-executor', () => {
  const run = (timeout: unknown) =>
    answer('docker-executor', 'execute_code', { language: 'python', code: '1', timeout_seconds: timeout });

  it.each([
    ['7', 7],
    [' 1_0.0 ', 10],
    [true, 1],
  ])('reads %j as an integer, as Pydantic does', async (timeout, timeoutSeconds) => {
    await run(timeout);
    expect(engine.requests).toMatchObject([{ timeoutSeconds }]);
  });

  it.each([
    ['7s', 'unable to parse string as an integer [type=int_parsing'],
    ['0x7', 'unable to parse string as an integer [type=int_parsing'],
    [1.5, 'got a number with a fractional part [type=int_from_float'],
    [null, 'Input should be a valid integer [type=int_type'],
  ])('says why %j is no integer, and runs nothing', async (timeout, message) => {
    expect(await run(timeout)).toContain(message);
    expect(engine.requests).toEqual([]);
  });

  it('says that an image needs a language', async () => {
    expect(await answer('docker-executor', 'create_image', { languages: [], image_name: 'empty' })).toBe(
      'Error creating image: languages has none of python, node, csharp, bash',
    );
  });
});

describe('code-executer', () => {
  it.each([
    ['off', 'Code execution service isII  not running.'],
    ['maybe', 'unable to interpret input [type=bool_parsing'],
    [2, 'unable to interpret input [type=bool_parsing'],
    [[], 'Input should be a valid boolean [type=bool_type'],
  ])('reads %j as a boolean, or says why not', async (delete_service, text) => {
    expect(await answer('code-executer', 'stop_code_executer', { name: 'x', delete_service })).toContain(text);
  });
});

describe.each([
  ['python-docker-mcp', 'execute-persistent'],
  ['lean-docker-mcp', 'execute-lean-persistent'],
])('%s', (profile, tool) => {
  it('gives a session without a name one that can be cleaned up', async () => {
    const [, name] = /^Session ID: (.*)/.exec(await answer(profile, tool, { code: '1', session_id: '' })) ?? [];
    expect(name).toMatch(/^[0-9a-f-]{36}$/);
  });
});
