import { homedir } from 'node:os';
import { type Log, messageOf } from '../../base/log.ts';
import type { HttpServer } from '../../mcp/http/httpServer.ts';
import type { EngineHandle } from '../engineHandle.ts';
import type { Settings } from '../settings.ts';

/** What the server needs from the extension. */
interface ListenerContext {
  readonly engine: EngineHandle;
  readonly version: string;
  readonly log: Log;
  readonly settings: Settings;
}

/** The local MCP server, started when its address is first needed. */
export class McpListener {
  readonly #context: ListenerContext;
  #server: Promise<HttpServer> | undefined;

  constructor(context: ListenerContext) {
    this.#context = context;
    // Other programs of the user find the engine once there is one.
    const { engine, log } = context;
    const subscription = engine.onDidChange(() => {
      if (!engine.current) return;
      subscription.dispose();
      this.get().catch((error: unknown) => log.warn(`The MCP server did not start: ${messageOf(error)}`));
    });
  }

  /** The server with its address and token. Rejects when it cannot start; the next call tries again. */
  get(): Promise<HttpServer> {
    this.#server ??= start(this.#context).catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** Stops the server if it was started. */
  async dispose(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    this.#server = undefined;
    await server?.dispose();
  }
}

async function start({ engine: handle, version, log, settings }: ListenerContext): Promise<HttpServer> {
  const [{ startHttpServer }, { ClientTokens }, engine, { profiles }] = await Promise.all([
    import('../../mcp/http/httpServer.ts'),
    import('../../local/clientTokens.ts'),
    handle.get(),
    settings.options(),
  ]);
  const server = await startHttpServer({
    ...{ engine, version, log, isProfileError: profiles.isError },
    findToken: new ClientTokens(homedir()).find,
    isJoinable: true,
  });
  const { announceServer, serversFolder } = await import('../../local/runningServers.ts');
  const { url, userToken } = server;
  const withdraw = await announceServer(serversFolder(homedir()), { url, token: userToken, isJoinable: true }).catch(
    (error: unknown) => {
      log.warn(`hothouse cp and hothouse mcp will not find this window: ${messageOf(error)}`);
    },
  );
  return {
    ...server,
    async dispose() {
      await withdraw?.();
      await server.dispose();
    },
  };
}
