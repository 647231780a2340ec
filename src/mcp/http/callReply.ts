import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** A response that takes longer begins as a stream: clients limit how long they wait for headers. */
const STREAM_AFTER_MS = 1_000;
/** Between signs of life on a stream; the SDK's own interval. */
const KEEP_ALIVE_MS = 15_000;

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** The HTTP response of one call: JSON in a single write, or a stream of events where there is more than the result. */
export class CallReply {
  readonly #response: ServerResponse;
  readonly #mcpSessionId: string;
  #timer: NodeJS.Timeout;

  constructor(response: ServerResponse, mcpSessionId: string) {
    this.#response = response;
    this.#mcpSessionId = mcpSessionId;
    this.#timer = setTimeout(() => this.#stream(), STREAM_AFTER_MS);
  }

  /** Sends a message before the result. */
  notify(message: JSONRPCMessage): void {
    this.#stream();
    this.#response.write(eventOf(message));
  }

  /** Sends the result and ends the response. */
  end(message: JSONRPCMessage): void {
    clearTimeout(this.#timer);
    if (this.#response.headersSent) return void this.#response.end(eventOf(message));
    const json = JSON.stringify(message);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) };
    this.#response.writeHead(200, { ...headers, 'mcp-session-id': this.#mcpSessionId }).end(json);
  }

  /** Ends the response without a result. */
  close(): void {
    this.#stream();
    clearTimeout(this.#timer);
    this.#response.end();
  }

  #stream(): void {
    if (this.#response.headersSent) return;
    clearTimeout(this.#timer);
    this.#response.writeHead(200, { ...STREAM_HEADERS, 'mcp-session-id': this.#mcpSessionId }).flushHeaders();
    this.#timer = setInterval(() => this.#response.write(': keepalive\n\n'), KEEP_ALIVE_MS);
  }
}

function eventOf(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
