import { once } from 'node:events';
import { messageOf } from '../../base/log.ts';
import { type HttpServer, startHttpServer } from '../../mcp/http/server.ts';
import { type Command, type CommandContext, numberOption, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { say } from '../terminal.ts';

/** Serves MCP clients over HTTP until a signal. */
export const serve: Command = {
  name: 'serve',
  usage: 'serve',
  summary: 'Serve MCP clients over Streamable HTTP on 127.0.0.1, until SIGINT or SIGTERM.',
  help: [
    '--port PORT           default: a free one',
    '--json                print address and token as one JSON object',
    '',
    'Clients send the token that is printed as "Authorization: Bearer TOKEN". It is new at each start.',
  ],
  options: { port: { type: 'string' }, json: { type: 'boolean' } },
  async run(context, args) {
    const port = numberOption(args, 'port') ?? 0;
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError('--port must be from 0 to 65535.');
    return withEngine(context, async (engine) => {
      const { version, log } = context;
      try {
        const server = await startHttpServer({ engine, version, log, port });
        await serveUntilStopped(context, server, Boolean(args.values.json));
        return 0;
      } catch (error) {
        say(context.terminal, `port ${port} cannot be served: ${messageOf(error)}`);
        return FAILURE_STATUS;
      }
    });
  },
};

async function serveUntilStopped({ terminal, signal }: CommandContext, server: HttpServer, json: boolean) {
  const { url, token } = server;
  terminal.stdout.write(json ? `${JSON.stringify({ url, token })}\n` : `Address: ${url}\nToken: ${token}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await server.dispose();
}
