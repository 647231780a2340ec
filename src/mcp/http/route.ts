import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike, NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest, isInitializeRequest } from '@modelcontextprotocol/server';
import { MAX_BODY_BYTES, readBody } from './body.ts';
import type { Client, Clients } from './clients.ts';
import type { Refusal } from './gate.ts';
import { refuse } from './refuse.ts';
import { relay } from './relay.ts';

/** JSON-RPC's word for a message that cannot be read. */
const PARSE_ERROR = -32_700;

/** What answers requests: one part for each era. */
export interface Eras {
  /** Of the revisions up to 2025-11-25. */
  readonly clients: Clients;
  /** Of revision 2026-07-28. */
  readonly stateless: NodeMcpRequestHandler;
}

/** Answers a request that has passed the gate, by the revision that its body names. */
export async function route(request: IncomingMessage, response: ServerResponse, { clients, stateless }: Eras) {
  if (request.method !== 'POST') return pass(await clientOf(request, clients), request, response);
  const body = await readBody(request);
  switch (body.kind) {
    case 'gone':
      return;
    case 'invalid':
      return refuse(response, { status: 400, message: `The body cannot be read. ${body.reason}`, code: PARSE_ERROR });
    case 'too_large':
      return refuse(response, { status: 413, message: `The body is over ${MAX_BODY_BYTES} bytes.` }, request);
    case 'json':
      if (isStateful(request, body.value))
        return pass(await clientOf(request, clients, body.value), request, response, body.value);
      // The library's type spells optional fields in a way that strict optional types refuse.
      return stateless(request as NodeIncomingMessageLike, response, body.value);
  }
}

/** Whether a request is of a revision up to 2025-11-25. */
function isStateful({ headers }: IncomingMessage, body: unknown): boolean {
  const version = headers['mcp-protocol-version'];
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: String(version) }),
    body,
  });
  return kind === 'legacy';
}

function pass(client: Client | Refusal, request: IncomingMessage, response: ServerResponse, body?: unknown) {
  return 'status' in client ? refuse(response, client) : relay(client, request, response, body);
}

async function clientOf(request: IncomingMessage, clients: Clients, body?: unknown): Promise<Client | Refusal> {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    const client = clients.get(String(id));
    // By this status clients know that they must initialize anew.
    return client ?? { status: 404, message: 'This session is not known; initialize a new one.' };
  }
  if (!isInitializeRequest(body)) return { status: 400, message: 'The mcp-session-id header is missing.' };
  return (await clients.connect()) ?? { status: 503, message: 'Too many clients are connected.' };
}
