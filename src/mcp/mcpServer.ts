import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { plainText } from '../base/log.ts';
import { slices } from '../base/slices.ts';
import type { Engine, RunOutput } from '../engine/types.ts';
import { ApprovalNeeded, approve } from './approval.ts';
import { boundedResult } from './delivery/boundedResult.ts';
import { OutputProgress } from './progress.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';
import type { Tool } from './tool.ts';
import { instructionsFor, listedTools, toolsFor } from './toolList.ts';

/** What an MCP server needs, whatever its transport. */
export interface McpDependencies {
  readonly engine: Engine;
  /** The version of Hothouse. */
  readonly version: string;
}

/** The tool list is the same for every client and changes only with the version of Hothouse. */
const UNCHANGING = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const OPTIONS: ServerOptions = {
  capabilities: { tools: {}, resources: {} },
  cacheHints: {
    'tools/list': UNCHANGING,
    'resources/templates/list': UNCHANGING,
    'server/discover': UNCHANGING,
  },
  // Validates elicitation forms, and those of Hothouse have no fields; the default would create an Ajv for each server.
  jsonSchemaValidator: {
    getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
  },
};

/** Parameters of `tools/call`. Each tool validates its own arguments. */
const CallParams = z.object({
  name: z.string(),
  arguments: z
    .custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
    .optional(),
  _meta: z.looseObject({ progressToken: z.union([z.string(), z.int()]).optional() }).optional(),
});

/**
 * Validates a call once and trusts its own results; the SDK's server parses the call twice more, and the result. Calls of
 * tools that ask the user go its way: it asks clients of each revision as they expect it.
 */
class ToolServer extends Server {
  asks: (tool: string) => boolean = () => false;

  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return wrapped;
    const direct: typeof handler = (request, context) =>
      this.asks(String(request.params?.name)) ? wrapped(request, context) : handler(request, context);
    return direct;
  }
}

/** Characters of arguments, or bytes of a result, that are processed in the same turn of the event loop. */
const SMALL = 128 * 1024;

/** An MCP server for every supported revision, not yet connected. `ownerId` owns the sandboxes that it leases. */
export function createMcpServer({ engine, version }: McpDependencies, ownerId: string): Server {
  // The low-level server, because the high-level one formats argument errors itself.
  const server = new ToolServer(
    { name: 'hothouse', title: 'Hothouse', version },
    { ...OPTIONS, instructions: instructionsFor(engine.languages) },
  );
  server.asks = (name) => toolsFor(engine.languages).some((tool) => tool.name === name && tool.asks === true);
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(engine.languages) }));
  const readerOf = (context: ServerContext) => ({
    engine,
    owner: { id: ownerId, kind: 'mcp' as const, label: '' },
    signal: context.mcpReq.signal,
  });
  server.setRequestHandler('resources/list', (_, context) => listResources(readerOf(context)));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }, context) => readResource(params.uri, readerOf(context)));
  server.setRequestHandler('tools/call', { params: CallParams }, (params, context) => {
    const client = clientOf(context) ?? server.getClientVersion();
    const capabilities = () => server.getClientCapabilities();
    return callTool(engine, { id: ownerId, label: clientLabel(client), capabilities }, params, context);
  });
  return server;
}

/** The client of a call. */
interface Caller {
  readonly id: string;
  readonly label: string;
  readonly capabilities: () => ClientCapabilities | undefined;
}

async function callTool(
  engine: Engine,
  { capabilities, ...client }: Caller,
  params: z.output<typeof CallParams>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tools = toolsFor(engine.languages);
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) throw unknownTool(params.name, tools);
  const progress = outputProgress(context);
  const onOutput = (output: RunOutput) => progress?.add(output);
  const ask = (question: string) => approve(context, capabilities(), question);
  const owner = { ...client, kind: 'mcp' as const };
  const call = { engine, owner, signal: context.mcpReq.signal, onOutput, approve: ask };
  try {
    const args = params.arguments ?? {};
    // They have been parsed in this turn of the event loop, and validating them may take as long.
    if (!isSmall(args)) await nextTurn();
    const { result, mostBytes } = await slices.run(
      boundedResult(await tool.handle(args, call), 'notes' in tool.output.shape),
    );
    // The transport serializes the result in one step, which may be long enough by itself.
    if (mostBytes > SMALL) await nextTurn();
    return result;
  } catch (error) {
    if (error instanceof ApprovalNeeded) return error.toResult();
    throw error;
  } finally {
    progress?.end();
  }
}

/** Whether arguments are numbers and texts of at most `SMALL` characters together. */
function isSmall(args: object): boolean {
  let length = 0;
  for (const value of Object.values(args)) {
    if (typeof value === 'object' && value !== null) return false;
    if (typeof value === 'string') length += value.length;
  }
  return length <= SMALL;
}

function outputProgress({ mcpReq }: ServerContext): OutputProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new OutputProgress((progress, message) => {
    // A disconnected client needs no progress; the transport cancels its call.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  });
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${plainText(name).slice(0, 100)}". Tools: ${names}.`,
  );
}

/** The client's own description in a request of revision 2026-07-28; the SDK has validated it. */
function clientOf({ mcpReq }: ServerContext): Implementation | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_INFO_META_KEY] as Implementation | undefined;
}

/** Name and version of a client in one line of at most 80 characters. */
function clientLabel(client: Implementation | undefined): string {
  const label = plainText(`${client?.title ?? client?.name ?? ''} ${client?.version ?? ''}`)
    .replace(/\s+/g, ' ')
    .trim();
  return label.slice(0, 80) || 'MCP client';
}
