import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { type HttpServer, startHttpServer } from '../../../src/mcp/http/httpServer.ts';
import { PROFILES } from '../../../src/mcp/profiles/profiles.ts';
import { connectEra, ERAS } from '../connect.ts';
import { StubEngine } from '../stubEngine.ts';

let server: HttpServer;
beforeAll(async () => {
  server = await startHttpServer({ engine: new StubEngine(), version: '1', log: silentLog });
});
afterAll(() => server.dispose());

describe.each(ERAS)('a client of %s over HTTP', (era) => {
  it.each(PROFILES.map(({ id, tools }) => [id, tools.map(({ name }) => name)] as const))(
    'has the tools of %s at its path',
    async (id, names) => {
      const client = await connectEra(era, `${server.url}/${id}`, server.token);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
      await client.close();
    },
  );

  it('has the tools of Hothouse at the path without a profile', async () => {
    const client = await connectEra(era, server.url, server.token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_code');
    await client.close();
  });
});

it('a profile that does not exist is not found, and the answer names those that do', async () => {
  const headers = { Authorization: `Bearer ${server.token}` };
  const response = await fetch(`${server.url}/nope`, { method: 'POST', headers });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('/mcp/docker-executor');
});
