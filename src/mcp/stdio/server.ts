import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { type Log, messageOf } from '../../base/log.ts';
import { createMcpServer, type McpDeps } from '../server.ts';
import { StdioTransport } from './transport.ts';

export interface StdioOptions extends McpDeps {
  readonly log: Log;
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
}

/**
 * Serves one client, of revision 2026-07-28 or of an earlier one, until its stream ends or `signal` aborts; then its
 * runs are aborted. Whatever it leases is one owner's.
 */
export async function serveStdio({ log, stdin, stdout, ...deps }: StdioOptions, signal?: AbortSignal): Promise<void> {
  const owner = `mcp-stdio-${randomUUID()}`;
  const transport = new StdioTransport(stdin, stdout);
  const handle = serveTransport(() => createMcpServer(deps, owner), {
    transport,
    onerror: (error) => log.warn(`MCP over stdio: ${messageOf(error)}`),
  });
  signal?.addEventListener('abort', () => void handle.close(), { once: true });
  await transport.closed;
}
