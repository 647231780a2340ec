import type { ServerResponse } from 'node:http';
import type { Refusal } from './gate.ts';

/** Turns a request away with a JSON-RPC error; the connection ends, as its body may be unread. */
export function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
