import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveTransport } from '@modelcontextprotocol/server/stdio';
import { type Log, messageOf } from '../../base/log.ts';
import { createMcpServer, type McpDependencies } from '../mcpServer.ts';
import type { Profile } from '../profiles/profile.ts';
import { profileServers } from '../profiles/profileServer.ts';
import { StdioTransport } from './stdioTransport.ts';

export interface StdioOptions extends McpDependencies {
  readonly log: Log;
  readonly stdin: Readable;
  /** Carries only MCP messages. */
  readonly stdout: Writable;
  /** The older server to stand in for; default: none. */
  readonly profile?: Profile;
  /** Owns what the client opens; default: an owner of its own. */
  readonly ownerId?: string;
}

/**
 * Serves one client, in revision 2026-07-28 or an earlier one, until stdin ends or `signal` aborts; then aborts its runs.
 * The client is one owner.
 */
export async function serveStdio(
  { log, stdin, stdout, profile, ownerId: owner = `mcp-stdio-${randomUUID()}`, ...deps }: StdioOptions,
  signal?: AbortSignal,
): Promise<void> {
  const transport = new StdioTransport(stdin, stdout);
  const createServer = profile
    ? profileServers(profile, deps, owner)
    : () => createMcpServer(deps, { id: owner, kind: 'mcp' });
  const handle = serveTransport(createServer, {
    transport,
    onerror: (error) => log.warn(`MCP over stdio: ${messageOf(error)}`),
  });
  signal?.addEventListener('abort', () => void handle.close(), { once: true });
  await transport.closed;
}
