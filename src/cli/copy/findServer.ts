import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { messageOf } from '../../base/log.ts';
import { type RunningServer, runningServers, serversFolder } from '../../local/runningServers.ts';
import { type CommandContext, UsageError } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { say } from '../terminal.ts';
import type { RemotePlace } from './place.ts';
import { RemoteFiles, sessionsOf } from './remoteFiles.ts';
import { ServerError, ToolError } from './toolClient.ts';

/** The variable with the token for `--server`: a command line can be read by other users. */
export const TOKEN_VARIABLE = 'HOTHOUSE_TOKEN';

/** What to do where no server runs. */
export const NO_SERVER = [
  'No server of yours runs on this machine.',
  'Start one by `hothouse serve`, run a cell in VS Code, or name one by --server.',
].join('\n');

/** Adds the options that name a server. */
export function addServerOptions(command: Command): Command {
  return command
    .option('--server <URL>', 'address of the server that has the session')
    .option('--token-file <FILE>', 'file with the token of --server');
}

/** Prints what a server has refused, and returns the exit status; throws any other error. */
export function reportRefusal(error: unknown, { terminal, signal }: CommandContext): number {
  if (signal.aborted) return FAILURE_STATUS;
  if (!(error instanceof ToolError || error instanceof ServerError)) throw error;
  for (const line of error.message.split('\n')) say(terminal, line);
  return FAILURE_STATUS;
}

/** Which server to ask. */
export interface ServerOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

/**
 * The files of a place: on the server that the options name, otherwise on the one of this user on this machine that has
 * the session or run. Rejects with a `ServerError` or a `ToolError` that names what there is instead.
 */
export async function findFiles(place: RemotePlace, options: ServerOptions, context: CommandContext) {
  const servers = await serversOf(options, context);
  const open: string[] = [];
  for (const server of servers) {
    try {
      if (await has(server, place, open, context.signal)) return new RemoteFiles(server, place, context.signal);
    } catch (error) {
      // Another server may have it.
      if (options.server !== undefined || !(error instanceof ServerError)) throw error;
    }
  }
  throw new ToolError(notFound(place, open, servers.length));
}

async function has(server: RunningServer, place: RemotePlace, open: string[], signal: AbortSignal): Promise<boolean> {
  if (place.kind === 'run') return new RemoteFiles(server, place, signal).hasFolder('');
  const sessions = await sessionsOf(server, signal);
  open.push(...sessions);
  return sessions.includes(place.id);
}

/** The server that the options name, otherwise those of this user on this machine, the latest first. */
export async function serversOf(
  { server, tokenFile }: ServerOptions,
  { env, home }: CommandContext,
): Promise<readonly RunningServer[]> {
  if (server === undefined) return runningServers(serversFolder(home));
  const url = serverUrl(server);
  const token = tokenFile === undefined ? env[TOKEN_VARIABLE] : await readToken(tokenFile);
  if (!token) throw new UsageError(`--server needs its token: in the variable ${TOKEN_VARIABLE}, or by --token-file.`);
  return [{ url, token: token.trim() }];
}

function serverUrl(text: string): string {
  const url = /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) throw new UsageError('--server takes an address, such as http://127.0.0.1:8000/mcp.');
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
}

async function readToken(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function notFound({ kind, id }: RemotePlace, open: readonly string[], servers: number): string {
  if (servers === 0) return NO_SERVER;
  if (kind === 'run') {
    return [`No files of the run ${id} are kept.`, 'They are kept for 15 minutes.'].join('\n');
  }
  const list = open.length === 0 ? 'No session is open.' : `Open sessions: ${open.join(', ')}.`;
  return `There is no session ${id}.\n${list}`;
}
