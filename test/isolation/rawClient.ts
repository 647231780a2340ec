import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { silentLog } from '../../src/base/log.ts';
import type { Engine } from '../../src/engine/types.ts';
import { serveStdio } from '../../src/mcp/stdio/stdioServer.ts';
import { serve } from './mcpServer.ts';

const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const PIECE = 64 * 1024;

/** The response to a call: bytes until it is parsed. */
export type Answer = () => { readonly result?: CallToolResult; readonly error?: { readonly message: string } };

/**
 * A client in this process that takes hardly any time of its event loop: a call is text before it is sent, and its
 * answer is parsed when it is looked at.
 */
export interface RawClient {
  /** Sends a call of `run_code` whose arguments are this JSON. */
  call(args: Buffer): Promise<Answer>;
  close(): Promise<void>;
}

/** The ways to the server. */
export const WAYS: Readonly<Record<string, (engine: Engine) => Promise<RawClient>>> = {
  'HTTP, 2025-11-25': (engine) => overHttp(engine, false),
  'HTTP, 2026-07-28': (engine) => overHttp(engine, true),
  'stdio, 2025-11-25': (engine) => overStdio(engine, false),
  'stdio, 2026-07-28': (engine) => overStdio(engine, true),
};

async function overHttp(engine: Engine, isStateless: boolean): Promise<RawClient> {
  const served = await serve(engine);
  const own = isStateless
    ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'run_code' }
    : { 'Mcp-Session-Id': await openHttp(served.url, served.token) };
  return {
    call: async (args) => answerOf((await post(served.url, served.token, own, callOf(args, isStateless))).body),
    close: () => served.dispose(),
  };
}

async function openHttp(url: string, token: string): Promise<string> {
  const { headers } = await post(url, token, {}, jsonRpc('initialize', CLIENT));
  return String(headers['mcp-session-id']);
}

async function overStdio(engine: Engine, isStateless: boolean): Promise<RawClient> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ engine, version: '1', log: silentLog, stdin, stdout });
  const send = async (message: Buffer) => {
    const line = lineOf(stdout);
    for (let at = 0; at < message.length; at += PIECE) {
      stdin.write(message.subarray(at, at + PIECE));
      await nextTurn();
    }
    stdin.write('\n');
    return answerOf(await line);
  };
  if (!isStateless) await send(jsonRpc('initialize', CLIENT));
  return {
    call: (args) => send(callOf(args, isStateless)),
    async close() {
      stdin.end();
      await served;
    },
  };
}

function lineOf(stdout: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.at(-1) !== 0x0a) return;
      stdout.off('data', take);
      resolve(Buffer.concat(chunks));
    };
    stdout.on('data', take);
  });
}

function post(url: string, token: string, own: Record<string, string>, body: Buffer) {
  const headers = {
    ...own,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Accept: 'application/json, text/event-stream',
  };
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A call as it is sent; `JSON.stringify` would take too long. */
function callOf(args: Buffer, isStateless: boolean): Buffer {
  const meta = isStateless ? `,"_meta":${JSON.stringify(META)}` : '';
  const head = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":';
  return Buffer.concat([Buffer.from(head), args, Buffer.from(`${meta}}}`)]);
}

function jsonRpc(method: string, params: object): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

/** JSON, a line of it, or an event of a stream. */
function answerOf(body: Buffer): Answer {
  return () => JSON.parse(body.toString().replace(/^(?:event: .*\n|id: .*\n|data: *\n|: .*\n|\n)*data: /, ''));
}
