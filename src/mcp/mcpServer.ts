import {
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { plainText } from '../base/log.ts';
import type { Viewer } from '../engine/session/viewer.ts';
import type { Engine, Owner } from '../engine/types.ts';
import { APPS_EXTENSION } from './app/view.ts';
import { type Approve, approve } from './approval.ts';
import { contentFor } from './delivery/olderContent.ts';
import { completionFor, listedPrompts, promptFor } from './prompts.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts';
import { serveTasks, TASKS_EXTENSION } from './tasks/taskMethods.ts';
import { tasksOf } from './tasks/tasks.ts';
import { type CallAnswer, callAsTask } from './tasks/toolTask.ts';
import type { Tool } from './tool.ts';
import { instructionsFor, listedTools, toolsFor } from './toolList.ts';
import { bounded, CallParams, ToolServer, withProgress } from './toolServer.ts';

/** What an MCP server needs, whatever its transport. */
export interface McpDependencies {
  readonly engine: Engine;
  /** The version of Hothouse. */
  readonly version: string;
  /** Of the profiles: whether code that fails makes `isError` true, as it always does in the tools of Hothouse itself. */
  readonly isProfileError?: boolean;
}

/** The tool list is the same for every client and changes only with the version of Hothouse. */
const UNCHANGING = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

const OPTIONS: ServerOptions = {
  capabilities: {
    ...{ tools: {}, resources: {}, prompts: {}, completions: {} },
    extensions: { [TASKS_EXTENSION]: {}, [APPS_EXTENSION]: {} },
  },
  cacheHints: {
    'tools/list': UNCHANGING,
    'resources/templates/list': UNCHANGING,
    'prompts/list': UNCHANGING,
    'server/discover': UNCHANGING,
  },
  // Validates elicitation forms, and those of Hothouse have no fields; the default would create an Ajv for each server.
  jsonSchemaValidator: {
    getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
  },
};

/**
 * An MCP server for every supported revision, not yet connected. Its client leases sandboxes and sees sessions as `viewer`:
 * an agent has its own, and those that a person shares.
 */
export function createMcpServer({ engine: whole, version }: McpDependencies, viewer: Viewer): Server {
  // Its clients can read them from now on.
  whole.keepCells();
  const engine = viewer.kind === 'mcp' ? whole.asOwner(viewer.id) : whole;
  // The low-level server, because the high-level one formats argument errors itself.
  const server = new ToolServer(
    { name: 'hothouse', title: 'Hothouse', version },
    { ...OPTIONS, instructions: instructionsFor(engine.languages) },
  );
  server.asks = (name) => toolsFor(engine.languages).some((tool) => tool.name === name && tool.asks === true);
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(engine.languages) }));
  const readerOf = (context: ServerContext) => ({
    engine,
    owner: { ...viewer, label: '' },
    signal: context.mcpReq.signal,
  });
  server.setRequestHandler('resources/list', (_, context) => listResources(readerOf(context)));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }, context) => readResource(params.uri, readerOf(context)));
  server.setRequestHandler('tools/call', { params: CallParams }, async (params, context) => {
    const capabilities = () => server.getClientCapabilities();
    const caller = { ...viewer, label: server.clientLabel(context), capabilities };
    return contentFor(server.getNegotiatedProtocolVersion(), await callTool(engine, caller, params, context));
  });
  server.setRequestHandler('prompts/list', () => listedPrompts(engine));
  server.setRequestHandler('prompts/get', ({ params }) => promptFor(engine, params.name, params.arguments));
  server.setRequestHandler('completion/complete', ({ params }) => completionFor(params, engine));
  serveTasks(server, tasksOf(engine), viewer.id);
  return server;
}

/** The client of a call. */
interface Caller extends Owner {
  readonly capabilities: () => ClientCapabilities | undefined;
}

async function callTool(
  engine: Engine,
  { capabilities, ...owner }: Caller,
  params: z.output<typeof CallParams>,
  context: ServerContext,
): Promise<CallAnswer> {
  const tools = toolsFor(engine.languages);
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) throw unknownTool(params.name, tools);
  const ask: Approve = (...question) => approve(context, capabilities(), ...question);
  const call = { engine, owner, signal: context.mcpReq.signal, approve: ask };
  const args = params.arguments ?? {};
  return withProgress<CallAnswer>(context, args, async (onOutput) => {
    if (tool.runs || tool.asks) return callAsTask(tool, args, { ...call, onOutput }, context, ask);
    return bounded(await tool.handle(args, { ...call, onOutput }), tool.output.shape);
  });
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${plainText(name).slice(0, 100)}". Tools: ${names}.`,
  );
}
