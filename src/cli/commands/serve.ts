import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../base/log.ts';
import { ClientTokens } from '../../local/clientTokens.ts';
import { announceServer, serversFolder } from '../../local/runningServers.ts';
import { type HttpServer, startHttpServer } from '../../mcp/http/httpServer.ts';
import { type CommandContext, type Handle, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { say } from '../terminal.ts';

interface ServeOptions {
  readonly port: number;
  readonly json?: boolean;
}

/** `hothouse serve`: serves MCP clients over HTTP until a signal. */
export function serveCommand(handle: Handle): Command {
  return new Command('serve')
    .description('Serve MCP clients over Streamable HTTP on 127.0.0.1')
    .option('--port <PORT>', 'port to listen on; 0 selects a free port', parsePort, 0)
    .option('--json', 'print address and token as one JSON object')
    .addHelpText(
      'after',
      '\nClients send the printed token as "Authorization: Bearer TOKEN". Each start creates a new token; those of\n`hothouse token create` are accepted too.\nThe REST interface of MCP-docker-executor is at /docker-executor/, described at /docker-executor/docs.\nThe server ends at SIGINT or SIGTERM.',
    )
    .action(
      handle((context, { port, json = false }: ServeOptions) =>
        withEngine(
          context,
          async (engine) => {
            const { version, log } = context;
            const findToken = new ClientTokens(context.home).find;
            const { isError } = context.configuration.options.profiles;
            try {
              const server = await startHttpServer({ engine, version, log, port, findToken, isProfileError: isError });
              await serveUntilStopped(context, server, json);
              return 0;
            } catch (error) {
              say(context.terminal, `cannot listen on port ${port}: ${messageOf(error)}`);
              return FAILURE_STATUS;
            }
          },
          true,
        ),
      ),
    );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be from 0 to 65535.');
  return port;
}

async function serveUntilStopped(context: CommandContext, server: HttpServer, json: boolean) {
  const { terminal, signal, home, log } = context;
  const { url, token, userToken } = server;
  const withdraw = await announceServer(serversFolder(home), { url, token: userToken }).catch((error: unknown) => {
    log.warn(`\`hothouse cp\` will not find this server: ${messageOf(error)}`);
  });
  terminal.stdout.write(json ? `${JSON.stringify({ url, token })}\n` : `Address: ${url}\nToken: ${token}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await withdraw?.();
  await server.dispose();
}
