import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { plainText } from '../base/log.ts';
import type { Engine, Owner, RunOutput } from '../engine/types.ts';
import { OutputProgress } from './progress.ts';
import { INSTRUCTIONS, listedTools, TOOLS } from './tools.ts';

/** What every transport needs to serve one client. */
export interface McpDeps {
  readonly engine: Engine;
  /** The program's version. */
  readonly version: string;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** An MCP server for one client, not yet connected; what it leases belongs to `ownerId`. */
export function createMcpServer({ engine, version }: McpDeps, ownerId: string): Server {
  // The low-level server, because the high-level one answers wrong arguments in words of its own.
  const server = new Server(
    { name: 'hothouse', title: 'Hothouse', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }));
  server.setRequestHandler(CallToolRequestSchema, (request, extra) =>
    callTool(engine, { id: ownerId, kind: 'mcp', label: clientLabel(server) }, request.params, extra),
  );
  return server;
}

async function callTool(
  engine: Engine,
  owner: Owner,
  params: CallToolRequest['params'],
  extra: Extra,
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (!tool) throw unknownTool(params.name);
  const progress = outputProgress(params, extra);
  const onOutput = (output: RunOutput) => progress?.add(output);
  try {
    return await tool.handle(params.arguments ?? {}, { engine, owner, signal: extra.signal, onOutput });
  } finally {
    progress?.end();
  }
}

function outputProgress(params: CallToolRequest['params'], extra: Extra): OutputProgress | undefined {
  const progressToken = params._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new OutputProgress((progress, message) => {
    // A client that has gone needs no progress; its call is cancelled by the transport.
    extra
      .sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => {});
  });
}

function unknownTool(name: string): McpError {
  const names = TOOLS.map((tool) => tool.name).join(', ');
  return new McpError(ErrorCode.InvalidParams, `There is no tool "${name}". Tools: ${names}.`);
}

function clientLabel(server: Server): string {
  const client = server.getClientVersion();
  const label = plainText(`${client?.title ?? client?.name ?? ''} ${client?.version ?? ''}`)
    .replace(/\s+/g, ' ')
    .trim();
  return label.slice(0, 80) || 'MCP client';
}
