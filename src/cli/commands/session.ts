import { Command } from 'commander';
import { z } from 'zod';
import { messageOf, plainText } from '../../base/log.ts';
import type { RunningServer } from '../../local/runningServers.ts';
import { notebookUri } from '../../mcp/files/fileUri.ts';
import { type ListedSession, SESSIONS_PREFIX, SessionList } from '../../mcp/http/sessionSite.ts';
import type { CommandContext, Handle } from '../command.ts';
import { addServerOptions, NO_SERVER, reportRefusal, type ServerOptions, serversOf } from '../copy/findServer.ts';
import { callTool, ServerError, ToolError } from '../copy/toolClient.ts';
import { jsonLine, say } from '../terminal.ts';

const NOTES = `
Agents see and use their own sessions, and those that you share. Sessions are those of \`hothouse serve\` and of VS Code
windows on this machine, and of agents that have joined them.`;

/** Bytes of a notebook in one answer. */
const PART_BYTES = 1024 * 1024;

/** A part of a notebook, as `read_file` returns it. */
const NotebookPart = z.object({ content: z.string(), size: z.number(), next_offset: z.number().nullable() });

type ListOptions = ServerOptions & { readonly json?: boolean };

/** `hothouse session`: lists the sessions of running servers, shares them with agents, and prints their notebooks. */
export function sessionCommand(handle: Handle): Command {
  const command = new Command('session')
    .description('List sessions, share them with agents, and print their notebooks')
    .addHelpText('after', NOTES);
  const list = command.command('list').description('List the sessions of running servers');
  addServerOptions(list).option('--json', 'print them as JSON').action(handle(listSessions));
  const change = (name: string, description: string, method: 'PUT' | 'DELETE') => {
    const part = command.command(name).description(description).argument('<SESSION>', 'id of a session');
    addServerOptions(part).action(
      handle((context, id: string, options: ServerOptions) => changeSharing(context, id, method, options)),
    );
  };
  change('share', 'Let agents see and use a session', 'PUT');
  change('unshare', 'Let only its owner see and use a session', 'DELETE');
  const notebook = command
    .command('notebook')
    .description('Print what a session has run as a Jupyter notebook')
    .argument('<SESSION>', 'id of a session');
  addServerOptions(notebook).action(handle(printNotebook));
  return command;
}

async function listSessions(context: CommandContext, { json, ...options }: ListOptions): Promise<number> {
  try {
    const sessions: ListedSession[] = [];
    for (const server of await found(context, options)) {
      sessions.push(...(await ask(context, server, options, 'GET')));
    }
    const { stdout } = context.terminal;
    if (json) stdout.write(jsonLine(sessions, 2));
    else stdout.write(sessions.length === 0 ? 'No session is open.\n' : sessions.map(lineOf).join(''));
    return 0;
  } catch (error) {
    return reportRefusal(error, context);
  }
}

async function changeSharing(
  context: CommandContext,
  id: string,
  method: 'PUT' | 'DELETE',
  options: ServerOptions,
): Promise<number> {
  try {
    await ask(context, await serverOf(id, context, options), options, method, id);
    say(context.terminal, `${id} is ${method === 'PUT' ? 'shared with agents' : 'no longer shared'}`);
    return 0;
  } catch (error) {
    return reportRefusal(error, context);
  }
}

async function printNotebook(context: CommandContext, id: string, options: ServerOptions): Promise<number> {
  try {
    context.terminal.stdout.write(await notebookOf(await serverOf(id, context, options), id, context.signal));
    return 0;
  } catch (error) {
    return reportRefusal(error, context);
  }
}

/** The notebook of a session, which may be longer than one answer. */
async function notebookOf(server: RunningServer, id: string, signal: AbortSignal): Promise<string> {
  let text = '';
  let size: number | null = null;
  for (let offset: number | null = 0; offset !== null; ) {
    const args = { uri: notebookUri(id), offset, length: PART_BYTES, encoding: 'utf-8' };
    const part = NotebookPart.parse(await callTool(server, 'read_file', args, signal));
    size ??= part.size;
    if (part.size !== size) throw new ToolError(`${id} has run code meanwhile. Try again.`);
    text += part.content;
    offset = part.next_offset;
  }
  return text;
}

/** The server that has the session. */
async function serverOf(id: string, context: CommandContext, options: ServerOptions): Promise<RunningServer> {
  for (const server of await found(context, options)) {
    const sessions = await ask(context, server, options, 'GET');
    if (sessions.some(({ session_id }) => session_id === id)) return server;
  }
  throw new ToolError(`There is no session ${id}.\n\`hothouse session list\` shows the sessions.`);
}

async function found(context: CommandContext, options: ServerOptions): Promise<readonly RunningServer[]> {
  const servers = await serversOf(options, context);
  if (servers.length === 0) throw new ToolError(NO_SERVER);
  return servers;
}

/** The sessions of an answer. A server that cannot be reached has none, unless the options name it. */
async function ask(
  { signal }: CommandContext,
  server: RunningServer,
  options: ServerOptions,
  method: 'GET' | 'PUT' | 'DELETE',
  id = '',
): Promise<readonly ListedSession[]> {
  try {
    return await request(server, method, id, signal);
  } catch (error) {
    if (method === 'GET' && options.server === undefined && error instanceof ServerError) return [];
    throw error;
  }
}

async function request(
  { url, token }: RunningServer,
  method: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly ListedSession[]> {
  const address = new URL(`${SESSIONS_PREFIX}${encodeURIComponent(id)}`, url);
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(address, { method, headers, redirect: 'error', signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ServerError(`${url} cannot be reached: ${messageOf(error)}`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.status === 401) throw new ServerError(`${url} does not accept the token.`);
  if (response.status === 403 || (response.status === 404 && id !== '')) throw new ToolError(refusalOf(answer));
  const list = SessionList.safeParse(answer);
  if (!response.ok || !list.success) throw new ServerError(`${url} answers with status ${response.status}.`);
  return list.data.sessions;
}

function refusalOf(answer: unknown): string {
  const { error } = (answer ?? {}) as { readonly error?: { readonly message?: unknown } };
  return String(error?.message ?? 'The server refuses.');
}

function lineOf({ session_id, language, state, owner, is_shared }: ListedSession): string {
  const fields = [
    session_id,
    language,
    state,
    plainText(owner).replaceAll('\n', ' '),
    ...(is_shared ? ['shared'] : []),
  ];
  return `${fields.join('  ')}\n`;
}
