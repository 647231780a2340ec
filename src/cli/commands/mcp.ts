import { Command, Option } from 'commander';
import { PROFILES, profileOf } from '../../mcp/profiles/profiles.ts';
import { serveStdio } from '../../mcp/stdio/stdioServer.ts';
import { type Handle, withEngine } from '../command.ts';
import { installCommands } from './mcpInstall.ts';

/** `hothouse mcp`: serves one MCP client on stdin and stdout. */
export function mcpCommand(handle: Handle): Command {
  const command = new Command('mcp')
    .description('Serve one MCP client over stdio')
    .addOption(
      new Option('--profile <SERVER>', 'offer the tools of an older server instead').choices(
        PROFILES.map(({ id }) => id),
      ),
    )
    .addHelpText(
      'after',
      '\nstdout carries only MCP messages; log messages go to stderr. The server ends when stdin closes.',
    )
    .action(
      handle(async (context, options: { readonly profile?: string }) => {
        const { stdin, stdout } = context.terminal;
        const { version, log, signal } = context;
        const profile = profileOf(options.profile ?? '');
        const { isError } = context.configuration.options.profiles;
        const server = { version, log, stdin, stdout, isProfileError: isError, ...(profile && { profile }) };
        await withEngine(context, (engine) => serveStdio({ engine, ...server }, signal));
        return 0;
      }),
    );
  for (const part of installCommands(handle)) command.addCommand(part);
  return command;
}
