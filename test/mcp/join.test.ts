import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Engine } from '../../src/engine/types.ts';
import { thisOwner } from '../../src/host/identity.ts';
import { announceServer, runningServers, serversFolder } from '../../src/local/runningServers.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import type { Backend } from '../../src/mcp/join/bridge.ts';
import { joinServer } from '../../src/mcp/join/joinServer.ts';
import { PROFILES } from '../../src/mcp/profiles/profiles.ts';
import { connectStdio, connectStdioEra } from '../cli/program.ts';
import { deadOwner } from '../host/deadOwner.ts';
import { engineInMemory } from '../isolation/mcpServer.ts';
import { call, ERAS, type TestClient, textOf } from './connect.ts';

/** What a window of VS Code has: an engine, and a server that it announces. */
interface Window {
  readonly engine: Engine;
  readonly server: HttpServer;
  /** Ends all connections, as the end of its process does. */
  end(): Promise<void>;
}

let home: string;
const opened: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hothouse-join-'));
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  rmSync(home, { recursive: true });
});

async function openWindow(): Promise<Window> {
  const engine = engineInMemory({ pool: { size: 4 } });
  const server = await startHttpServer({ engine, version: '1', log: silentLog, isJoinable: true });
  const { url, userToken: token } = server;
  const withdraw = await announceServer(serversFolder(home), { url, token, isJoinable: true });
  const end = async () => {
    await withdraw();
    await server.dispose();
  };
  opened.push(async () => {
    await end();
    await engine.dispose();
  });
  return { engine, server, end };
}

async function joined(era: (typeof ERAS)[number]): Promise<TestClient> {
  const client = await connectStdioEra(era, { HOME: home });
  opened.push(() => client.close());
  return client;
}

const owners = (engine: Engine) => engine.snapshot().sessions.map(({ owner }) => owner.id);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each(ERAS)('`hothouse mcp` for a client of %s', (era) => {
  it('joins the engine of a window, and takes its own sessions along when it ends', async () => {
    const { engine } = await openWindow();
    const [one, other] = [await joined(era), await joined(era)];
    const { structuredContent } = await call(one, 'open_session', { language: 'python' });
    await call(other, 'open_session', { language: 'python' });
    expect(new Set(owners(engine)).size).toBe(2);
    const session_id = structuredContent?.session_id;
    const ran = await call(one, 'run_code', { language: 'python', code: 'print 7', session_id });
    expect(ran.structuredContent).toMatchObject({ status: 'ok', stdout: '7\n' });
    expect(textOf(await call(other, 'close_session', { session_id }))).toContain('There is no session');
    await one.close();
    await until(() => owners(engine).length === 1);
    expect(textOf(await call(other, 'list_sessions'))).toContain('python');
  });

  it('answers a call whose window has ended, and continues in another engine', async () => {
    const first = await openWindow();
    const client = await joined(era);
    const running = call(client, 'run_code', { language: 'python', code: 'hang' }).catch(String);
    await until(() => first.engine.snapshot().running === 1);
    const second = await openWindow();
    await first.end();
    expect(String(await running)).toContain('The VS Code window whose engine served this call has ended');
    const ran = await call(client, 'run_code', { language: 'python', code: 'print 8' });
    expect(ran.structuredContent).toMatchObject({ status: 'ok', stdout: '8\n' });
    expect(second.engine.snapshot().environments.flatMap(({ runs }) => runs)).toContain(1);
  });
});

describe('`hothouse mcp` beside a window', () => {
  it('has the tools of each profile when it has joined', async () => {
    const { engine, server } = await openWindow();
    for (const { id, tools } of PROFILES) {
      const backend = await joinServer({ url: server.url, token: server.userToken }, id);
      expect(await toolsOf(backend)).toEqual(tools.map(({ name }) => name));
    }
    const client = await connectStdio({ HOME: home }, ['--profile', 'python-docker-mcp']);
    await call(client, 'execute-persistent', { code: 'print 9', session_id: 'mine' });
    expect(engine.snapshot().sessions).toHaveLength(1);
    await client.close();
    await until(() => engine.snapshot().sessions.length === 0);
  });

  it.each([
    ['with --own', {}, ['--own']],
    ['with an option of its own', { HOTHOUSE_LIMITS_CPUS: '0.5' }, []],
  ])('uses an engine of its own %s', async (_name, env, args) => {
    const { engine } = await openWindow();
    const client = await connectStdio({ HOME: home, DOCKER_HOST: 'tcp://127.0.0.1:1', ...env }, args);
    const answer = await call(client, 'run_code', { language: 'python', code: 'print 7' });
    expect(answer.structuredContent).toMatchObject({ status: 'rejected' });
    expect(engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes)).toEqual([]);
    await client.close();
  });
});

/** The names of the tools that a joined process has. */
async function toolsOf(backend: Backend | null): Promise<string[]> {
  if (!backend) throw new Error('It has not joined.');
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  for (const message of [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]) {
    backend.stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  let text = '';
  for await (const chunk of backend.stream) {
    text += chunk;
    const [, listed] = text.split('\n');
    if (text.split('\n').length > 2) {
      const { result } = JSON.parse(listed ?? '');
      return result.tools.map(({ name }: { name: string }) => name);
    }
  }
  throw new Error('It has ended.');
}

describe('the door for processes that join', () => {
  /** The first line of the answer to a request to upgrade. */
  function upgrade({ url }: HttpServer, lines: readonly string[], path = '/mcp/join'): Promise<string> {
    const { port } = new URL(url);
    const head = [`GET ${path} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: hothouse-mcp', ...lines];
    return new Promise((resolve) => {
      const socket = connectSocket(Number(port), '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
      socket.on('data', (chunk) => {
        resolve(String(chunk).split('\r\n')[0] ?? '');
        socket.destroy();
      });
    });
  }

  it('is open to programs of the user alone', async () => {
    const { server } = await openWindow();
    const host = `Host: 127.0.0.1:${new URL(server.url).port}`;
    const user = `Authorization: Bearer ${server.userToken}`;
    expect(await upgrade(server, [host, user])).toContain(' 101 ');
    expect(await upgrade(server, [host])).toContain(' 401 ');
    expect(await upgrade(server, [host, `Authorization: Bearer ${server.token}`])).toContain(' 404 ');
    expect(await upgrade(server, [host, user], '/mcp')).toContain(' 404 ');
    expect(await upgrade(server, ['Host: evil.example', user])).toContain(' 403 ');
    expect(await upgrade(server, [host, 'Origin: http://evil.example', user])).toContain(' 403 ');
  });
});

describe('announced servers', () => {
  it('are ignored when their file is a link, open to others, of a dead process, or names another machine', async () => {
    const folder = serversFolder(home);
    mkdirSync(folder, { recursive: true });
    const good = { url: 'http://127.0.0.1:1234/mcp', token: 't', owner: await thisOwner(), isJoinable: true };
    const write = (name: string, value: object | string, mode = 0o600) => {
      writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value), { mode });
      chmodSync(join(folder, name), mode);
    };
    write('open.json', good, 0o644);
    write('group.json', good, 0o620);
    write('dead.json', { ...good, owner: await deadOwner() });
    write('remote.json', { ...good, url: 'http://10.0.0.1:1234/mcp' });
    write('user.json', { ...good, url: 'http://127.0.0.1:1234@evil.example/mcp' });
    write('broken.json', '{');
    write('large.json', { ...good, token: 'x'.repeat(10_000) });
    writeFileSync(join(home, 'elsewhere'), JSON.stringify(good), { mode: 0o600 });
    symlinkSync(join(home, 'elsewhere'), join(folder, 'link.json'));
    expect(await runningServers(folder)).toEqual([]);
    expect(readdirSync(folder)).not.toContain('dead.json');
    write('good.json', good);
    expect(await runningServers(folder)).toEqual([{ url: good.url, token: 't', isJoinable: true }]);
  });
});
