import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Engine } from '../../src/engine/types.ts';
import { createMcpServer } from '../../src/mcp/server.ts';

/** A real client, connected in memory to a server on `engine`. */
export async function connectInMemory(engine: Engine): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ engine, version: '1.2.3' }, 'owner-1').connect(serverSide);
  const client = newClient();
  await client.connect(clientSide);
  return listed(client);
}

/** A real client, connected over HTTP. */
export async function connectHttp(url: string, token: string): Promise<Client> {
  const client = newClient();
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
  return listed(client);
}

// Knowing the tools, the SDK's client checks every answer against its output schema.
async function listed(client: Client): Promise<Client> {
  await client.listTools();
  return client;
}

/** Calls a tool as clients do, output schema checked. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

/** The text of an answer. */
export function textOf({ content }: CallToolResult): string {
  return content.map((item) => (item.type === 'text' ? item.text : `<${item.type}>`)).join('\n');
}

/** A client as tests use it. */
export function newClient(): Client {
  return new Client({ name: 'test-client', version: '9' });
}
