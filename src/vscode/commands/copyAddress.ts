import { env, window } from 'vscode';
import type { App } from '../app.ts';

/** Copies the configuration with which other MCP clients connect to this window's engine. */
export async function copyMcpAddress({ mcp }: App): Promise<void> {
  const { url, token } = await mcp.get();
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  await env.clipboard.writeText(JSON.stringify({ hothouse: server }, null, 2));
  window.showInformationMessage(
    `Copied the configuration of the MCP server at ${url}. It contains a secret token and is valid until this window closes.`,
  );
}
