import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Client } from './clients.ts';

/** Hands a request to its client's transport and keeps count of it. */
export async function relay(client: Client, request: IncomingMessage, response: ServerResponse, body?: unknown) {
  client.openRequests += 1;
  response.once('close', () => {
    client.openRequests -= 1;
    client.lastUsedAt = performance.now();
    if (!response.writableFinished) cancel(client, body);
  });
  await client.transport.handleRequest(request, response, body);
}

/**
 * Cancels the calls of a connection that broke. Streams are not resumable here, so nobody could ever read the answers,
 * and on loopback a broken connection is a client that ended or gave up.
 */
function cancel({ transport }: Client, body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (isJSONRPCRequest(message)) transport.onmessage?.(cancelled(message.id));
  }
}

function cancelled(requestId: string | number): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'the connection broke' } };
}
