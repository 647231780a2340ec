import { type Disposable, lm, McpHttpServerDefinition, type McpServerDefinitionProvider, Uri } from 'vscode';
import type { App } from '../app.ts';

/** Id of the provider in package.json. */
const PROVIDER = 'hothouse.mcp';
// The editor asks for definitions eagerly and for addresses only when it starts a server, so the listener waits for that.
const NOT_YET = Uri.parse('http://127.0.0.1:0/mcp');

/** Offers the MCP server to the editor's agents. */
export function registerMcp({ mcp, version }: App): Disposable {
  const provider: McpServerDefinitionProvider<McpHttpServerDefinition> = {
    async provideMcpServerDefinitions() {
      const { toolsHash } = await import('../../mcp/toolList.ts');
      return [new McpHttpServerDefinition('Hothouse', NOT_YET, {}, `${version}+${toolsHash()}`)];
    },
    async resolveMcpServerDefinition({ label, version: ours }) {
      const { url, token } = await mcp.get();
      return new McpHttpServerDefinition(label, Uri.parse(url), { Authorization: `Bearer ${token}` }, ours);
    },
  };
  return lm.registerMcpServerDefinitionProvider(PROVIDER, provider);
}
