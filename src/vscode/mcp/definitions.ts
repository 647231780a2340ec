import { type Disposable, lm, McpHttpServerDefinition, type McpServerDefinitionProvider, Uri } from 'vscode';
import type { App } from '../app.ts';

/** Id of the provider in package.json. */
const PROVIDER = 'hothouse.mcp';
// VS Code asks for definitions at once, but for the address only when it starts the server: the listener starts then.
const PLACEHOLDER = Uri.parse('http://127.0.0.1:0/mcp');

/** Registers the MCP server for agents in VS Code. */
export function registerMcp({ mcp, version }: App): Disposable {
  const provider: McpServerDefinitionProvider<McpHttpServerDefinition> = {
    async provideMcpServerDefinitions() {
      const [{ toolsHash }, { LANGUAGES }] = await Promise.all([
        import('../../mcp/toolList.ts'),
        import('../../languages/registry.ts'),
      ]);
      return [new McpHttpServerDefinition('Hothouse', PLACEHOLDER, {}, `${version}+${toolsHash(LANGUAGES)}`)];
    },
    async resolveMcpServerDefinition({ label, version: ours }) {
      const { url, token } = await mcp.get();
      return new McpHttpServerDefinition(label, Uri.parse(url), { Authorization: `Bearer ${token}` }, ours);
    },
  };
  return lm.registerMcpServerDefinitionProvider(PROVIDER, provider);
}
