import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Refusal } from './gate.ts';

/**
 * Turns a request away with a JSON-RPC error; the connection ends, as its body may be unread. One that is `unread` on
 * purpose is read to its end first: a client that is still sending when the connection closes would never see the answer.
 */
export function refuse(
  response: ServerResponse,
  { status, message, code = -32_000, headers }: Refusal,
  unread?: IncomingMessage,
): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': length,
    Connection: 'close',
  });
  response.write(text);
  if (unread) finished(unread.resume(), () => response.end());
  else response.end();
}
