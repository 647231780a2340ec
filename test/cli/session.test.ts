import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Engine } from '../../src/engine/types.ts';
import { ClientTokens } from '../../src/local/clientTokens.ts';
import { announceServer, serversFolder } from '../../src/local/runningServers.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { engineInMemory } from '../isolation/mcpServer.ts';
import { call, connectEra, ERAS, textOf } from '../mcp/connect.ts';
import { connectStdioEra, ended, start } from './program.ts';

const PERSON = { id: 'window', label: 'plot.ipynb', kind: 'notebook' } as const;

/** Each test starts several programs, one after the other. */
const TIMEOUT = { timeout: 120_000 };

let home: string;
const opened: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hothouse-session-'));
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  rmSync(home, { recursive: true });
});

const hothouse = (...args: string[]) => ended(start(['session', ...args], { HOME: home }));

/** A server with an engine, as a window or `hothouse serve` has it. */
async function serve(isJoinable = false): Promise<{ engine: Engine; server: HttpServer; open: () => Promise<string> }> {
  const engine = engineInMemory({ pool: { size: 4 } });
  const findToken = new ClientTokens(home).find;
  const server = await startHttpServer({ engine, version: '1', log: silentLog, findToken, isJoinable });
  const withdraw = await announceServer(serversFolder(home), { url: server.url, token: server.userToken, isJoinable });
  opened.push(async () => {
    await withdraw();
    await server.dispose();
    await engine.dispose();
  });
  const open = async () => {
    const session = await engine.openSession('python', PERSON);
    if (!session.ok) throw new Error(session.error.message);
    return session.value.id;
  };
  return { engine, server, open };
}

describe('hothouse session', TIMEOUT, () => {
  it.each(ERAS)('shares a session with an agent of %s that has joined, and takes it back', async (era) => {
    const { open } = await serve(true);
    const session_id = await open();
    const agent = await connectStdioEra(era, { HOME: home });
    opened.push(() => agent.close());
    const run = () => call(agent, 'run_code', { language: 'python', code: 'print 7', session_id });
    expect(textOf(await run())).toContain('There is no session');
    const shared = await hothouse('share', session_id);
    expect(shared).toMatchObject({ status: 0, stderr: `hothouse: ${session_id} is shared with agents\n` });
    expect((await run()).structuredContent).toMatchObject({ status: 'ok', stdout: '7\n' });
    expect((await hothouse('list')).stdout).toBe(`${session_id}  python  idle  plot.ipynb  shared\n`);
    expect(await hothouse('unshare', session_id)).toMatchObject({ status: 0 });
    expect(textOf(await run())).toContain('There is no session');
  });

  it('finds a session of any server, and lists those of all', async () => {
    const [one, two] = [await serve(), await serve()];
    const ids = [await one.open(), await two.open()];
    for (const id of ids) expect(await hothouse('share', id)).toMatchObject({ status: 0 });
    expect([...one.engine.snapshot().sessions, ...two.engine.snapshot().sessions].map((it) => it.isShared)).toEqual([
      true,
      true,
    ]);
    const listed = JSON.parse((await hothouse('list', '--json')).stdout);
    expect(listed.map(({ session_id }: { session_id: string }) => session_id).sort()).toEqual(ids.sort());
  });

  it('has its files copied in and out by hothouse cp, that of a notebook too, which no agent sees', async () => {
    const { server, open } = await serve(true);
    const id = await open();
    const cp = (...args: string[]) => ended(start(['cp', '-q', ...args], { HOME: home }));
    writeFileSync(join(home, 'sales.csv'), 'a,b\n1,2\n');
    expect(await cp(join(home, 'sales.csv'), `${id}:data/`)).toMatchObject({ status: 0, stderr: '' });
    expect(await cp(`${id}:data/sales.csv`, '-')).toMatchObject({ status: 0, stdout: 'a,b\n1,2\n' });
    expect(await cp(`${id}:data`, join(home, 'back'))).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(home, 'back/sales.csv'), 'utf8')).toBe('a,b\n1,2\n');
    const { token } = await new ClientTokens(home).create('agent', null);
    const asAgent = { HOME: home, HOTHOUSE_TOKEN: token };
    const refused = await ended(start(['cp', '--server', server.url, `${id}:data/sales.csv`, '-'], asAgent));
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('There is no session') });
  });

  it('prints the notebook of an agent, also one that is longer than an answer', async () => {
    const { server, open } = await serve();
    const { token } = await new ClientTokens(home).create('agent', null);
    const agent = await connectEra('2026-07-28', server.url, token);
    opened.push(() => agent.close());
    const { structuredContent } = await call(agent, 'open_session', { language: 'python' });
    const id = String(structuredContent?.session_id);
    const codes = ['print ä', 'fill 900000', 'fill 900000'];
    for (const code of codes) await call(agent, 'run_code', { language: 'python', code, session_id: id });
    await open();
    const { status, stdout } = await hothouse('notebook', id);
    expect(status).toBe(0);
    const { contents } = await agent.readResource({ uri: `hothouse://sessions/${id}/notebook.ipynb` });
    expect(contents).toMatchObject([{ text: stdout }]);
    expect(JSON.parse(stdout).cells.map(({ source }: { source: string }) => source)).toEqual(codes);
    expect(await hothouse('notebook', 'py-00000000')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('There is no session py-00000000.'),
    });
  });

  it('says what to do without a server, and for an unknown session', async () => {
    expect((await hothouse('list')).stderr).toContain('No server of yours runs on this machine.');
    await serve();
    expect(await hothouse('share', 'py-00000000')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no session py-00000000.'),
    });
    expect((await hothouse('list')).stdout).toBe('No session is open.\n');
  });
});

describe('the sessions of a server', () => {
  it('are refused to agents by the same answer for every id and method, and change nothing', async () => {
    const { engine, server, open } = await serve();
    const session_id = await open();
    const { token: own } = await new ClientTokens(home).create('agent', null);
    const answers = new Set<string>();
    for (const token of [server.token, own]) {
      for (const id of [session_id, 'py-00000000', '', '%00', '..%2fmcp', '__proto__']) {
        for (const method of ['GET', 'PUT', 'DELETE', 'POST', 'PATCH']) {
          const headers = { Authorization: `Bearer ${token}` };
          const response = await fetch(new URL(`/sessions/${id}`, server.url), { method, headers });
          answers.add(`${response.status} ${await response.text()}`);
        }
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^403 .*Only a person shares sessions\. Ask the user\./)]);
    expect(engine.snapshot().sessions.map(({ isShared }) => isShared)).toEqual([false]);
  });

  it('need a token, and requests from this machine', async () => {
    const { server, open } = await serve();
    const address = new URL(`/sessions/${await open()}`, server.url);
    const status = async (headers: Record<string, string>) => (await fetch(address, { method: 'PUT', headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ Authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ Authorization: `Bearer ${server.userToken}`, Origin: 'http://evil.example' })).toBe(403);
    expect(await status({ Authorization: `Bearer ${server.userToken}` })).toBe(200);
  });

  it('answer a person with the methods there are', async () => {
    const { server } = await serve();
    const headers = { Authorization: `Bearer ${server.userToken}` };
    const ask = async (method: string, path: string) =>
      (await fetch(new URL(path, server.url), { method, headers })).status;
    expect(await ask('PUT', '/sessions/')).toBe(405);
    expect(await ask('GET', '/sessions/py-00000000')).toBe(405);
    expect(await ask('DELETE', '/sessions/py-00000000')).toBe(404);
    const client = await connectEra('2026-07-28', server.url, server.userToken);
    opened.push(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('share_session');
  });
});
