import { Command } from 'commander';
import { serveStdio } from '../../mcp/stdio/stdioServer.ts';
import { type Handle, withEngine } from '../command.ts';

/** `hothouse mcp`: serves one MCP client on stdin and stdout. */
export function mcpCommand(handle: Handle): Command {
  return new Command('mcp')
    .description('Serve one MCP client over stdio')
    .addHelpText(
      'after',
      '\nstdout carries only MCP messages; log messages go to stderr. The server ends when stdin closes.',
    )
    .action(
      handle(async (context) => {
        const { stdin, stdout } = context.terminal;
        const { version, log, signal } = context;
        await withEngine(context, (engine) => serveStdio({ engine, version, log, stdin, stdout }, signal));
        return 0;
      }),
    );
}
