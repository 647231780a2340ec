import { connect } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { type HttpOptions, type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { fileFixture } from '../fileFixture.ts';
import { FakeHost } from '../host/fakeHost.ts';

/** A running MCP server. */
export interface Served extends HttpServer {
  readonly port: number;
}

/** Serves MCP on `engine`, which stays the caller's. */
export async function serve(engine: Engine, options: Partial<HttpOptions> = {}): Promise<Served> {
  const server = await startHttpServer({ engine, version: '1', log: silentLog, ...options });
  return { ...server, port: Number(new URL(server.url).port) };
}

/** A real engine whose containers are in memory. */
export function engineInMemory(options: OptionsInput = {}): Engine {
  return createEngine({
    connect: () => new FakeHost(),
    agent: Buffer.from('00000004pass'),
    options: Options.parse(options),
    clock: systemClock,
    log: silentLog,
    identity: { machine: 'test', owner: 'test' },
    languages: LANGUAGES,
    images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
  });
}

/** What came back on a connection until its end; `status` is null when that was no HTTP answer. */
export interface RawAnswer {
  readonly status: number | null;
  readonly text: string;
}

/** Sends a request byte by byte as the attack has it: header lines may be missing, double or malformed. */
export function sendRaw(port: number, head: readonly string[], body = ''): Promise<RawAnswer> {
  const lines = [...head, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      // The server may keep the connection for another request.
      if (isWhole(text)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ status: statusOf(text), text }));
  });
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
  if (body === undefined) return false;
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : Buffer.byteLength(body) >= Number(length);
}

/** The status of an answer that begins with `text`. */
export function statusOf(text: string): number | null {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}

/** The lines that every good request has, for a client that may be unknown yet. */
export function goodHead({ token, port }: Served, method = 'POST', sessionId?: string): Readonly<Head> {
  return {
    line: `${method} /mcp HTTP/1.1`,
    host: [`Host: 127.0.0.1:${port}`],
    origin: [],
    authorization: [`Authorization: Bearer ${token}`],
    rest: [
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      ...(sessionId === undefined ? [] : [`Mcp-Session-Id: ${sessionId}`]),
    ],
  };
}

/** The head of a request in the parts that attacks change. */
export interface Head {
  line: string;
  host: readonly string[];
  origin: readonly string[];
  authorization: readonly string[];
  rest: readonly string[];
}

/** The head as lines. */
export function linesOf({ line, host, origin, authorization, rest }: Head): string[] {
  return [line, ...host, ...origin, ...authorization, ...rest];
}

export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** The id of a session that a client has just been given by the server. */
async function initialize(served: Served): Promise<string> {
  const { status, text } = await sendRaw(served.port, linesOf(goodHead(served)), INITIALIZE);
  const [, id] = /^mcp-session-id: (\S+)/im.exec(text) ?? [];
  if (status !== 200 || id === undefined) throw new Error(`initialize was answered: ${text}`);
  return id;
}

/** A served engine and the id of a client's session. */
export interface ServedSession extends Served {
  readonly sessionId: string;
}

/** Serves an engine with one client's session to all tests of a `describe`. */
export function serveSession(engine: Engine): ServedSession {
  return fileFixture(async () => {
    const served = await serve(engine);
    return { ...served, sessionId: await initialize(served) };
  });
}

/** Requests that reach the engine once their head is accepted: method, body, and how they name a session. */
export function attackRequests(): [method: string, body: string, session: 'session' | 'stateless' | undefined][] {
  return [
    ['POST', INITIALIZE, undefined],
    ['POST', runCode('stolen'), 'session'],
    ['POST', statelessRunCode('stolen'), 'stateless'],
    ['GET', '', 'session'],
    ['DELETE', '', 'session'],
  ];
}

/** The head that the server accepts for one of `attackRequests`. */
export function acceptedHead(served: ServedSession, method: string, session: string | undefined): Readonly<Head> {
  return session === 'stateless' ? statelessHead(served) : goodHead(served, method, session && served.sessionId);
}

/** A call of `run_code` as it is sent. */
export function runCode(code: string): string {
  const params = { name: 'run_code', arguments: { language: 'python', code } };
  return JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
}

/** The same by revision 2026-07-28, which needs no session. */
export function statelessRunCode(code: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'run_code', arguments: { language: 'python', code }, _meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
}

/** The lines that a good request has that carries it. */
export function statelessHead(served: Served): Readonly<Head> {
  const head = goodHead(served);
  const standard = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: run_code'];
  return { ...head, rest: [...head.rest, ...standard] };
}
