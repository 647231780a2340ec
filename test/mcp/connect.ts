import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentHttpTransport,
  type Transport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type CallToolResult, ElicitRequestSchema, type ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { Engine } from '../../src/engine/types.ts';
import { createMcpServer } from '../../src/mcp/mcpServer.ts';

/** The eras of the protocol: with a session that `initialize` opens, and without. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** A client of either revision, for tests. */
export interface TestClient {
  callTool(
    params: { readonly name: string; readonly arguments: Record<string, unknown> },
    schema?: undefined,
    options?: { signal?: AbortSignal; timeout?: number; onprogress?: (progress: { message?: string }) => void },
  ): Promise<unknown>;
  listTools(): Promise<ListToolsResult>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { readonly uri: string }): Promise<{ contents: object[] }>;
  close(): Promise<void>;
}

/** Only what hangs takes so long, however slow the machine: the SDK's clients give up after a minute. */
const PATIENT = { timeout: 170_000 };

/** A real client of revision 2025-11-25, connected in memory to a server on `engine`. */
export async function connectInMemory(engine: Engine, owner = 'owner-1'): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ engine, version: '1.2.3' }, { id: owner, kind: 'mcp' }).connect(serverSide);
  const client = newClient();
  await client.connect(clientSide, PATIENT);
  return listed(client);
}

/** The same of a client that asks its user, who gives that answer; `questions` gets what they were asked. */
export async function connectAsking(
  engine: Engine,
  action: 'accept' | 'decline' | (() => 'accept' | 'decline' | 'cancel'),
  questions: string[] = [],
): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ engine, version: '1' }, { id: 'owner-1', kind: 'mcp' }).connect(serverSide);
  const client = new Client({ name: 'test-client', version: '9' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: typeof action === 'function' ? action() : action, content: {} };
  });
  await client.connect(clientSide, PATIENT);
  return client;
}

/** A real client of revision 2025-11-25, connected over HTTP. */
export async function connectHttp(url: string, token: string): Promise<Client> {
  const client = newClient();
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never, PATIENT);
  return listed(client);
}

/** A real client of an era, connected over HTTP. */
export async function connectEra(era: Era, url: string, token: string): Promise<TestClient> {
  if (era === '2025-11-25') return (await connectHttp(url, token)) as TestClient;
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  return connectCurrent(new CurrentHttpTransport(new URL(url), { requestInit }));
}

/** A real client of revision 2026-07-28 over any transport. */
export async function connectCurrent(transport: CurrentTransport): Promise<TestClient> {
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
  const client = new CurrentClient({ name: 'test-client', version: '9' }, { versionNegotiation });
  await client.connect(transport, PATIENT);
  return listed({
    callTool: (params, _schema, options) => client.callTool(params, options as never),
    listTools: async () => (await client.listTools(undefined, PATIENT)) as ListToolsResult,
    listResources: () => client.listResources(),
    readResource: (params) => client.readResource(params),
    close: () => client.close(),
  } satisfies TestClient);
}

// Knowing the tools, the SDK's client checks every answer against its output schema.
async function listed<T extends Pick<TestClient, 'listTools'>>(client: T): Promise<T> {
  await client.listTools();
  return client;
}

/** Calls a tool as clients do, output schema checked. */
export async function call(
  client: {
    callTool(
      params: { name: string; arguments: Record<string, unknown> },
      schema?: undefined,
      options?: { timeout: number },
    ): Promise<unknown>;
  },
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args }, undefined, PATIENT)) as CallToolResult;
}

/** The text of an answer. */
export function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  return content.map((item) => (item.type === 'text' ? item.text : `<${item.type}>`)).join('\n');
}

/** A client of revision 2025-11-25 as tests use it. */
export function newClient(): Client {
  return new Client({ name: 'test-client', version: '9' });
}
