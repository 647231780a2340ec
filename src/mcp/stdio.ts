import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type Log, messageOf } from '../base/log.ts';
import { createMcpServer, type McpDeps } from './server.ts';

// One call may carry megabytes of code, stdin and state, escaped as JSON.
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface StdioOptions extends McpDeps {
  readonly log: Log;
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
}

/** Serves one client until its stream ends or `signal` aborts; then its runs are aborted. */
export async function serveStdio({ log, stdin, stdout, ...deps }: StdioOptions, signal?: AbortSignal): Promise<void> {
  const server = createMcpServer(deps, `mcp-stdio-${randomUUID()}`);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.onerror = (error) => log.warn(`MCP over stdio: ${messageOf(error)}`);
  const close = () => void server.close();
  for (const event of ['end', 'close']) stdin.once(event, close);
  for (const event of ['error', 'close']) stdout.once(event, close);
  signal?.addEventListener('abort', close, { once: true });
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  await closed;
}
