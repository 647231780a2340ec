import { env, window } from 'vscode';
import type { App } from '../app.ts';

/** Copies what other MCP clients need to use this window's engine. */
export async function copyMcpAddress({ mcp }: App): Promise<void> {
  const { url, token } = await mcp.get();
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  await env.clipboard.writeText(JSON.stringify({ hothouse: server }, null, 2));
  window.showInformationMessage(
    `Copied the server at ${url} as JSON with its secret token. Both hold until this window closes.`,
  );
}
