import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike, NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest, isInitializeRequest, type McpServer, type Server } from '@modelcontextprotocol/server';
import type { Viewer } from '../../engine/session/viewer.ts';
import type { Client, Clients } from './clients.ts';
import { type Rejection, reject } from './gate.ts';
import { MAX_BODY_BYTES, readBody } from './requestBody.ts';

/** JSON-RPC's code for a message that is not valid JSON. */
const PARSE_ERROR = -32_700;

/** The handlers of MCP with and without sessions, for one address. */
export interface Eras {
  /** Revisions up to 2025-11-25: a client opens an MCP session. */
  readonly clients: Clients;
  /** Creates the server of such a client. */
  readonly createServer: (viewer: Viewer) => Server | McpServer;
  /** Revision 2026-07-28: each request is independent. */
  readonly stateless: NodeMcpRequestHandler;
}

/** Answers a request of `viewer` that has passed the gate; its body determines the revision. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  viewer: Viewer,
  eras: Eras,
): Promise<void> {
  const { stateless } = eras;
  if (request.method !== 'POST') return forward(await findClient(request, viewer, eras), request, response);
  const body = await readBody(request);
  switch (body.kind) {
    case 'aborted':
      return;
    case 'invalid':
      return reject(response, { status: 400, message: `The body cannot be read. ${body.reason}`, code: PARSE_ERROR });
    case 'too_large':
      return reject(response, { status: 413, message: `The body is over ${MAX_BODY_BYTES} bytes.` }, request);
    case 'json':
      if (usesMcpSession(request, body.value))
        return forward(await findClient(request, viewer, eras, body.value), request, response, body.value);
      return stateless(asSent(request, viewer), response, body.value);
  }
}

/** Whether a request is of a revision up to 2025-11-25. */
function usesMcpSession({ headers }: IncomingMessage, body: unknown): boolean {
  const version = headers['mcp-protocol-version'];
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: String(version) }),
    body,
  });
  return kind === 'legacy';
}

async function forward(client: Client | Rejection, request: IncomingMessage, response: ServerResponse, body?: unknown) {
  if ('status' in client) reject(response, client);
  else await client.handle(request, response, body);
}

/** The request with its sender, whom the SDK hands on to the server that it creates. The token stays here. */
function asSent(request: IncomingMessage, viewer: Viewer): NodeIncomingMessageLike {
  const auth = { token: '', clientId: viewer.id, scopes: [], extra: { viewer } };
  // The SDK declares its optional fields in a way that `exactOptionalPropertyTypes` rejects.
  return Object.assign(request, { auth }) as NodeIncomingMessageLike;
}

async function findClient(
  request: IncomingMessage,
  viewer: Viewer,
  { clients, createServer }: Omit<Eras, 'stateless'>,
  body?: unknown,
): Promise<Client | Rejection> {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    // Status 404 makes clients initialize again.
    return (
      clients.get(String(id), viewer) ?? { status: 404, message: 'This session is not known; initialize a new one.' }
    );
  }
  if (!isInitializeRequest(body)) return { status: 400, message: 'The mcp-session-id header is missing.' };
  return (await clients.connect(viewer, createServer)) ?? { status: 503, message: 'Too many clients are connected.' };
}
