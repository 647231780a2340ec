import { execFile, fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { silentLog } from '../../src/base/log.ts';
import type { OptionsInput } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { startHttpServer } from '../../src/mcp/http/httpServer.ts';
import type { Served } from './served.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

// Each request adds a listener to the client's one signal, which stays until memory is collected.
setMaxListeners(0);

/** Calls a tool; throws when it ends with an error, so that no failure is timed. Resolves with the structured answer. */
export type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>;

/** An engine that serves in a process of its own. */
export interface ServedEngine {
  readonly call: Call;
  /** Lends a client of the same engine at the path of a profile. */
  asProfile<T>(profile: string, use: (call: Call) => Promise<T>): Promise<T>;
  readonly pid: number;
  /** The ids of its sandboxes' containers. */
  sandboxes(): Promise<readonly string[]>;
}

/** Lends a client of the engine's MCP server over HTTP. */
export async function withClient<T>(engine: Engine, use: (call: Call) => Promise<T>): Promise<T> {
  const server = await startHttpServer({ engine, log: silentLog, version: '0' });
  try {
    return await withConnected(server, use);
  } finally {
    await server.dispose();
  }
}

/** Lends a client of an MCP server over HTTP whose engine, with `options` over the defaults, has a process of its own. */
export async function withServed<T>(
  use: (served: ServedEngine) => Promise<T>,
  options: OptionsInput = { lean: { prewarmHeaders: [] } },
): Promise<T> {
  const child = fork(await bundled('served'), [JSON.stringify(options)]);
  const sandboxes = async () => {
    child.send('sandboxes');
    const [ids] = await once(child, 'message');
    return ids as readonly string[];
  };
  try {
    const [message] = await once(child, 'message');
    const server = message as Served;
    const asProfile: ServedEngine['asProfile'] = (profile, useProfile) =>
      withConnected({ ...server, url: `${server.url}/${profile}` }, useProfile);
    return await withConnected(server, (call) => use({ call, asProfile, pid: child.pid ?? 0, sandboxes }));
  } finally {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}

/** The path of a program of this folder, bundled as the command line is: what runs is measured, not how it is loaded. */
async function bundled(name: string): Promise<string> {
  const source = path.join('test/bench', `${name}.ts`);
  const args = ['esbuild.mjs', '--production', `--program=${source}`, '--outdir=out/bench'];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return path.join(ROOT, 'out/bench', `${name}.js`);
}

async function withConnected<T>({ url, token }: Served, use: (call: Call) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'bench', version: '0' });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  try {
    return await use(async (name, args) => {
      const answer = await client.callTool({ name, arguments: args }, undefined, { timeout: 600_000 });
      if (answer.isError) throw new Error(JSON.stringify(answer.structuredContent ?? answer.content));
      // The profiles of servers that are older than structured answers have texts alone.
      return answer.structuredContent ?? answer.content;
    });
  } finally {
    await client.close();
  }
}
