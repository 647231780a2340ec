import type { HttpServer } from '../../mcp/http/server.ts';

/** The local MCP server, started when somebody first needs its address. */
export class McpListener {
  readonly #start: () => Promise<HttpServer>;
  #server: Promise<HttpServer> | undefined;

  constructor(start: () => Promise<HttpServer>) {
    this.#start = start;
  }

  /** Address and token. Rejects when the server cannot start, then the next call tries anew. */
  get(): Promise<HttpServer> {
    this.#server ??= this.#start().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** Ends the server if it was started. */
  async dispose(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    this.#server = undefined;
    await server?.dispose();
  }
}
