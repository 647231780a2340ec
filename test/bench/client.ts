import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { silentLog } from '../../src/base/log.ts';
import type { Engine } from '../../src/engine/types.ts';
import { startHttpServer } from '../../src/mcp/http/httpServer.ts';

/** Calls a tool; throws when it ends with an error, so that no failure is timed. Resolves with the structured answer. */
export type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>;

/** Lends a client of the engine's MCP server over HTTP. */
export async function withClient<T>(engine: Engine, use: (call: Call) => Promise<T>): Promise<T> {
  const server = await startHttpServer({ engine, log: silentLog, version: '0' });
  const client = new Client({ name: 'bench', version: '0' });
  const headers = { Authorization: `Bearer ${server.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  try {
    return await use(async (name, args) => {
      const answer = await client.callTool({ name, arguments: args }, undefined, { timeout: 600_000 });
      if (answer.isError) throw new Error(JSON.stringify(answer.structuredContent ?? answer.content));
      return answer.structuredContent;
    });
  } finally {
    await client.close();
    await server.dispose();
  }
}
