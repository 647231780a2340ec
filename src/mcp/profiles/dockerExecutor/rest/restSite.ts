import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Viewer } from '../../../../engine/session/viewer.ts';
import type { Engine } from '../../../../engine/types.ts';
import type { Site } from '../../../http/endpoint.ts';
import { pathOf, type Rejection } from '../../../http/gate.ts';
import { MAX_BODY_BYTES, readBody } from '../../../http/requestBody.ts';
import { openApi } from './openApi.ts';
import { type Operation, type OperationAnswer, Workspace } from './operation.ts';
import { operationsAt } from './operations.ts';
import { PAGE_HEADERS, page } from './page.ts';
import { REQUESTS } from './schemas.ts';
import { missingBody, notJson, validationDetails } from './validationDetails.ts';

/** Where the REST interface of MCP-docker-executor is. */
export const REST_PREFIX = '/docker-executor/';

/** The REST interface, and what ends its executions. */
export interface RestSite extends Site {
  /** Interrupts the executions that run in the background. */
  dispose(): void;
}

/** The REST interface of MCP-docker-executor on an engine. Clients with the same token share executions and files. */
export function restSite(engine: Engine): RestSite {
  const workspaces = new Map<string, Workspace>();
  const workspaceOf = (viewer: Viewer) => {
    const workspace = workspaces.get(viewer.id) ?? new Workspace(engine, { ...viewer, label: 'REST client' });
    workspaces.set(viewer.id, workspace);
    return workspace;
  };
  return {
    prefix: REST_PREFIX,
    isPublic: ({ method, url = '' }) => method === 'GET' && PUBLIC.includes(localPath({ url })),
    handle: (request, response, viewer) =>
      viewer ? handle(workspaceOf(viewer), request, response) : sendPublic(request, response),
    reject: (response, { status, message, headers = {} }) =>
      answer(response, status, { detail: message }, { ...headers, Connection: 'close' }),
    dispose: () => {
      for (const { executions } of workspaces.values()) executions.dispose();
    },
  };
}

const PUBLIC: readonly string[] = ['/docs', '/openapi.json'];

/** The path below the prefix, with a slash before it. */
function localPath({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return pathOf({ url } as IncomingMessage).slice(REST_PREFIX.length - 1);
}

async function sendPublic(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const description = openApi(REST_PREFIX.slice(0, -1));
  if (localPath(request) === '/docs') response.writeHead(200, PAGE_HEADERS).end(page(description));
  else answer(response, 200, description);
}

async function handle(workspace: Workspace, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, operations } = operationsAt(localPath(request));
  const operation = operations.find(({ method }) => method === request.method?.toLowerCase());
  if (!operation) {
    const allowed = operations.map(({ method }) => method.toUpperCase()).join(', ');
    if (allowed === '') return answer(response, 404, { detail: 'Not Found' });
    return answer(response, 405, { detail: 'Method Not Allowed' }, { Allow: allowed });
  }
  const body = await bodyOf(operation, request);
  if (body === null) return;
  if ('status' in body) return answer(response, body.status, { detail: body.detail }, {}, request);
  const signal = goneSignal(response);
  const result = await operation.handle({ workspace, body: body.value, id, signal, request, response });
  if (result) send(response, result);
}

/** The body that an operation takes, or the error; null when the client has gone. */
async function bodyOf(operation: Operation, request: IncomingMessage) {
  if (operation.request === null) return { value: undefined };
  const body = await readBody(request);
  switch (body.kind) {
    case 'aborted':
      return null;
    case 'too_large':
      return { status: 413, detail: `The body is over ${MAX_BODY_BYTES} bytes.` };
    case 'invalid':
      return { status: 422, detail: [isEmpty(request) ? missingBody() : notJson(body.reason)] };
    case 'json': {
      if (body.value === null) return { status: 422, detail: [missingBody()] };
      const parsed = REQUESTS[operation.request].safeParse(body.value);
      if (parsed.success) return { value: parsed.data };
      return { status: 422, detail: validationDetails(parsed.error, body.value) };
    }
  }
}

function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Aborts when the connection closes before the answer has been sent. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  finished(response, (error) => error && controller.abort());
  return controller.signal;
}

function send(response: ServerResponse, { status = 200, body }: NonNullable<OperationAnswer>): void {
  answer(response, status, body);
}

/** Sends JSON. `unread` is read to its end first: a client that is still sending would never see the answer. */
function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Rejection['headers'] = {},
  unread?: IncomingMessage,
): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': length });
  if (unread && !unread.readableEnded) finished(unread.resume(), () => response.end(text));
  else response.end(text);
}
