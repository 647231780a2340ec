import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../../base/log.ts';
import type { McpDependencies } from '../mcpServer.ts';
import { profileOf } from '../profiles/profiles.ts';
import { serveStdio } from '../stdio/stdioServer.ts';

/** The path of the door, and the protocol that a connection is upgraded to: MCP messages, one per line. */
export const JOIN_PATH = '/mcp/join';
export const JOIN_PROTOCOL = 'hothouse-mcp';
/** A header with the id of the profile that the client asks for; absent for none. */
export const PROFILE_HEADER = 'hothouse-profile';

/**
 * Serves one `hothouse mcp` that has joined, until its connection ends. The process is an owner; its sessions end with it,
 * as they do with an engine of its own.
 */
export async function serveJoined(
  socket: Duplex,
  { headers }: IncomingMessage,
  deps: McpDependencies & { readonly log: Log },
): Promise<void> {
  const profile = profileOf(String(headers[PROFILE_HEADER] ?? ''));
  const ownerId = `mcp-process-${randomUUID()}`;
  await serveStdio({ ...deps, ownerId, stdin: socket, stdout: socket, ...(profile && { profile }) });
  socket.destroy();
  const { sessions } = deps.engine.snapshot();
  const own = sessions.filter(({ owner }) => owner.id === ownerId);
  await Promise.all(own.map(({ id }) => deps.engine.closeSession(id)));
}
