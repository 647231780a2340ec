import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { McpDependencies } from '../mcpServer.ts';
import { CallParams, performCall, ToolServer } from '../toolServer.ts';
import type { Profile, ProfileTools } from './profile.ts';

/**
 * Creates MCP servers of a profile for one owner, which share the sessions that the owner has named; none is connected.
 */
export function profileServers(profile: Profile, deps: McpDependencies, ownerId: string): () => Server {
  const tools = profile.open(deps.engine.asOwner(ownerId));
  return () => profileServer(profile, tools, deps, ownerId);
}

function profileServer(
  profile: Profile,
  tools: ProfileTools,
  { version, isProfileError = false }: McpDependencies,
  ownerId: string,
): Server {
  const server = new ToolServer({ name: profile.serverName, version }, { capabilities: profile.capabilities });
  server.setRequestHandler('tools/list', () => ({ tools: profile.tools }));
  server.setRequestHandler('prompts/list', () => ({ prompts: profile.prompts.map(({ listed }) => listed) }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  if (profile.listsTemplates) {
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  }
  server.setRequestHandler('resources/read', ({ params }) => {
    throw new ProtocolError(0, profile.errors.resource(params.uri));
  });
  server.setRequestHandler('prompts/get', ({ params }) => promptOf(profile, params.name, params.arguments ?? {}));
  server.setRequestHandler('tools/call', { params: CallParams }, (params, context) => {
    const owner = { id: ownerId, label: server.clientLabel(context), kind: 'mcp' as const };
    const args = params.arguments ?? {};
    return performCall(context, args, {}, async (onOutput) => {
      const { result, failed } = await answerOf(profile, tools, params, {
        owner,
        signal: context.mcpReq.signal,
        onOutput,
      });
      return isProfileError && failed ? { ...result, isError: true } : result;
    });
  });
  return server;
}

async function answerOf(
  profile: Profile,
  tools: ProfileTools,
  { name, arguments: args = {} }: z.output<typeof CallParams>,
  call: Parameters<ProfileTools[string]>[1],
) {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) return { result: profile.unknownTool(name), failed: true };
  return tool(args as Record<string, unknown>, call);
}

function promptOf({ prompts, errors }: Profile, name: string, args: Readonly<Record<string, string>>) {
  const prompt = prompts.find(({ listed }) => listed.name === name);
  if (!prompt) throw new ProtocolError(0, errors.prompt(name));
  const missing = prompt.listed.arguments?.find((argument) => argument.required && args[argument.name] === undefined);
  if (missing) throw new ProtocolError(0, `Missing required arguments: {'${missing.name}'}`);
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(args) } }] };
}
