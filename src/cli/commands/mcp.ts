import { duplexPair } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from 'commander';
import { DEFAULT_OPTIONS } from '../../engine/options.ts';
import { runningServers, serversFolder } from '../../local/runningServers.ts';
import { type Backend, bridge } from '../../mcp/join/bridge.ts';
import { joinServer } from '../../mcp/join/joinServer.ts';
import { PROFILES, profileOf } from '../../mcp/profiles/profiles.ts';
import { type StdioOptions, serveStdio } from '../../mcp/stdio/stdioServer.ts';
import { type CommandContext, type Handle, withEngine } from '../command.ts';
import { installCommands } from './mcpInstall.ts';

interface McpOptions {
  readonly profile?: string;
  readonly own?: boolean;
}

/** `hothouse mcp`: serves one MCP client on stdin and stdout. */
export function mcpCommand(handle: Handle): Command {
  const command = new Command('mcp')
    .description('Serve one MCP client over stdio')
    .addOption(
      new Option('--profile <SERVER>', 'offer the tools of an older server instead').choices(
        PROFILES.map(({ id }) => id),
      ),
    )
    .option('--own', 'use an engine of its own also where a VS Code window has one')
    .addHelpText(
      'after',
      '\nstdout carries only MCP messages; log messages go to stderr. The server ends when stdin closes.',
    )
    .action(
      handle(async (context, { profile, own = false }: McpOptions) => {
        const { terminal, signal } = context;
        const joined = own || isConfigured(context) ? null : await joinWindow(context, profile);
        if (!joined) await serveOwn(context, profile, terminal, signal);
        else {
          const next = async () => (await joinWindow(context, profile)) ?? ownBackend(context, profile);
          await bridge(terminal, next, joined, signal);
        }
        return 0;
      }),
    );
  for (const part of installCommands(handle)) command.addCommand(part);
  return command;
}

/** Whether the user has set options for this process: a window's engine has those of the window. */
function isConfigured({ configuration }: CommandContext): boolean {
  return !isDeepStrictEqual(configuration.options, DEFAULT_OPTIONS);
}

/** Joins the engine of the window that has started last; null where none runs. */
async function joinWindow({ home, log }: CommandContext, profile?: string): Promise<Backend | null> {
  for (const server of await runningServers(serversFolder(home))) {
    const joined = server.isJoinable ? await joinServer(server, profile) : null;
    if (joined) {
      log.info(`This server has joined the engine of the VS Code window at ${server.url}.`);
      return joined;
    }
  }
  return null;
}

/** An engine of this process, for a client whose window has ended. */
async function ownBackend(context: CommandContext, profile?: string): Promise<Backend> {
  const [stream, side] = duplexPair();
  const served = serveOwn(context, profile, { stdin: side, stdout: side }, context.signal);
  served.catch((error: unknown) => stream.destroy(error instanceof Error ? error : undefined));
  return {
    stream,
    lossMessage: 'The engine of this process has ended. Start `hothouse mcp` again.',
    async close() {
      stream.end();
      await served;
    },
  };
}

async function serveOwn(
  context: CommandContext,
  profileId: string | undefined,
  { stdin, stdout }: Pick<StdioOptions, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<void> {
  const { version, log } = context;
  const profile = profileOf(profileId ?? '');
  const { isError } = context.configuration.options.profiles;
  const server = { version, log, stdin, stdout, isProfileError: isError, ...(profile && { profile }) };
  await withEngine(context, (engine) => serveStdio({ engine, ...server }, signal), true);
}
