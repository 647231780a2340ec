import { McpServer, type ServerNotifier } from '@modelcontextprotocol/server';
import { addContentTools } from './contentTools.ts';
import { addInputTools, STATES } from './inputTools.ts';
import { addPrompts, addResources } from './promptsAndResources.ts';
import { addPushTools } from './pushTools.ts';

/** An MCP server with the fixtures of the conformance suite; `notify` notifies subscribers of changes. */
export function fixtureServer(notify: () => ServerNotifier): McpServer {
  const listChanged = true;
  const server = new McpServer(
    { name: 'hothouse-conformance', version: '1' },
    {
      capabilities: {
        tools: { listChanged },
        prompts: { listChanged },
        resources: { listChanged, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: STATES.verify },
    },
  );
  addContentTools(server, notify);
  addPushTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}
