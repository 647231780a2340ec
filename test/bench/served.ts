import { silentLog } from '../../src/base/log.ts';
import { startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { containersOf, realEngine } from './engine.ts';

/** What a process of this program sends when it serves. */
export interface Served {
  readonly url: string;
  readonly token: string;
}

// The program that `withServed` starts: an engine and its MCP server over HTTP in a process of their own, so that their CPU
// time is measured without the client's. Ends when its parent disconnects.
// Its argument is the engine's options as JSON.
const engine = await realEngine(JSON.parse(process.argv[2] ?? '{}'));
const server = await startHttpServer({ engine, log: silentLog, version: '0', isProfileError: true });
process.on('message', () => {
  process.send?.(containersOf(engine));
});
process.on('disconnect', async () => {
  await server.dispose();
  await engine.dispose();
  process.exit(0);
});
process.send?.({ url: server.url, token: server.token } satisfies Served);
