import { serveStdio } from '../../mcp/stdio/server.ts';
import { type Command, withEngine } from '../command.ts';

/** Serves one MCP client on stdin and stdout. */
export const mcp: Command = {
  name: 'mcp',
  usage: 'mcp',
  summary: 'Serve one MCP client over stdin and stdout, until stdin ends.',
  help: ['Nothing but the protocol is written to stdout; messages go to stderr.'],
  options: {},
  async run(context) {
    const { stdin, stdout } = context.terminal;
    const { version, log, signal } = context;
    await withEngine(context, (engine) => serveStdio({ engine, version, log, stdin, stdout }, signal));
    return 0;
  },
};
