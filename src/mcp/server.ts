import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { plainText } from '../base/log.ts';
import { slices } from '../base/slices.ts';
import type { Engine, RunOutput } from '../engine/types.ts';
import { deliverable } from './delivery/deliverable.ts';
import { OutputProgress } from './progress.ts';
import { INSTRUCTIONS, listedTools, TOOLS } from './tools.ts';

/** What every transport needs to serve clients. */
export interface McpDeps {
  readonly engine: Engine;
  /** The program's version. */
  readonly version: string;
}

/** The list of tools is the same for every client and changes only with the program. */
const UNCHANGING = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const OPTIONS: ServerOptions = {
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  cacheHints: { 'tools/list': UNCHANGING, 'server/discover': UNCHANGING },
  // It would check forms that clients fill in, and we send none; the default makes an Ajv for each server.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('No form is sent to clients.');
    },
  },
};

/** An MCP server of either era, not yet connected; what it leases belongs to `ownerId`. */
export function createMcpServer({ engine, version }: McpDeps, ownerId: string): Server {
  // The low-level server, because the high-level one answers wrong arguments in words of its own.
  const server = new Server({ name: 'hothouse', title: 'Hothouse', version }, OPTIONS);
  server.setRequestHandler('tools/list', () => ({ tools: listedTools() }));
  server.setRequestHandler('tools/call', (request, context) => {
    const client = clientOf(context) ?? server.getClientVersion();
    return callTool(engine, { id: ownerId, label: clientLabel(client) }, request.params, context);
  });
  return server;
}

async function callTool(
  engine: Engine,
  client: { readonly id: string; readonly label: string },
  params: CallToolRequest['params'],
  context: ServerContext,
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (!tool) throw unknownTool(params.name);
  const progress = outputProgress(context);
  const onOutput = (output: RunOutput) => progress?.add(output);
  const call = { engine, owner: { ...client, kind: 'mcp' as const }, signal: context.mcpReq.signal, onOutput };
  try {
    // The protocol's library has looked at all arguments in this turn.
    await nextTurn();
    const answer = await slices.run(deliverable(await tool.handle(params.arguments ?? {}, call)));
    // The transport writes it as JSON in one step, which may take long enough by itself.
    await nextTurn();
    return answer;
  } finally {
    progress?.end();
  }
}

function outputProgress({ mcpReq }: ServerContext): OutputProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new OutputProgress((progress, message) => {
    // A client that has gone needs no progress; its call is cancelled by the transport.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  });
}

function unknownTool(name: string): ProtocolError {
  const names = TOOLS.map((tool) => tool.name).join(', ');
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${plainText(name).slice(0, 100)}". Tools: ${names}.`,
  );
}

/** What the client of a request of revision 2026-07-28 calls itself; the protocol's library has checked it. */
function clientOf({ mcpReq }: ServerContext): Implementation | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_INFO_META_KEY] as Implementation | undefined;
}

/** What a client calls itself, fit for a line of a view. */
function clientLabel(client: Implementation | undefined): string {
  const label = plainText(`${client?.title ?? client?.name ?? ''} ${client?.version ?? ''}`)
    .replace(/\s+/g, ' ')
    .trim();
  return label.slice(0, 80) || 'MCP client';
}
