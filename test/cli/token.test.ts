import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { ClientTokens } from '../../src/local/clientTokens.ts';
import { type HttpServer, startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { call, connectEra, ERAS, textOf } from '../mcp/connect.ts';
import { StubEngine } from '../mcp/stubEngine.ts';
import { ended, start } from './program.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hothouse-token-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(home, { recursive: true });
});

const HOUR_MS = 3_600_000;

const folder = () => join(home, '.hothouse', 'tokens');
const hothouse = (...args: string[]) => ended(start(['token', ...args], { HOME: home }));

async function serve(): Promise<HttpServer> {
  return startHttpServer({
    engine: new StubEngine(),
    version: '1',
    log: silentLog,
    findToken: new ClientTokens(home).find,
  });
}

/** Status and text of a request with the token. */
async function request({ url }: HttpServer, token: string): Promise<[number, string]> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  return [response.status, await response.text()];
}

describe('hothouse token', () => {
  it('creates, lists and revokes tokens; shows each one once and keeps only its hash', async () => {
    const created = await hothouse('create', 'claude', '--expires', '30d', '--json');
    const { token, id, expires_at } = JSON.parse(created.stdout);
    expect(token).toMatch(/^hothouse_[0-9a-f]{8}_[\w-]{43}$/);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    expect(readdirSync(folder())).toEqual([`${id}.json`]);
    const kept = readFileSync(join(folder(), `${id}.json`), 'utf8');
    expect(kept).not.toContain(token.slice(-43));
    expect([statSync(folder()).mode & 0o777, statSync(join(folder(), `${id}.json`)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    const listed = await hothouse('list');
    expect(listed.stdout).toMatch(new RegExp(`^${id}  valid +expires \\d{4}-.* claude\\n$`));
    expect(listed.stdout + listed.stderr).not.toContain(token.slice(-43));
    expect((await hothouse('create', 'claude')).stderr).toContain('There is a token named claude');
    expect((await hothouse('revoke', 'claude')).stdout).toBe(`Revoked ${id} (claude).\n`);
    expect((await hothouse('list')).stdout).toContain('revoked');
    const again = await hothouse('revoke', token);
    expect([again.status, again.stderr.includes(token)]).toEqual([1, false]);
  });

  it('creates tokens that never expire, also under names that objects have', async () => {
    const created = await hothouse('create', '__proto__', '--expires', 'never', '--json');
    const { token, id, expires_at } = JSON.parse(created.stdout);
    expect([created.status, expires_at]).toEqual([0, null]);
    expect((await hothouse('list')).stdout).toBe(`${id}  valid    never expires  __proto__\n`);
    expect(new ClientTokens(home).find(token)).toEqual({ ok: true, id });
  });

  it('creates tokens that a running `hothouse serve` accepts and then refuses, and writes none of them', async () => {
    const server = start(['serve', '--json', '--verbose'], { HOME: home });
    let written = '';
    server.stderr?.on('data', (chunk) => {
      written += chunk;
    });
    const line = await new Promise<string>((resolve) => server.stdout?.once('data', (chunk) => resolve(String(chunk))));
    const running: HttpServer = JSON.parse(line);
    const tokens = new ClientTokens(home);
    const { token, record } = await tokens.create('claude', null);
    expect((await request(running, token))[0]).toBe(400);
    await tokens.revoke(record);
    expect(await request(running, token)).toEqual([401, expect.stringContaining('has been revoked')]);
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'latin1')).not.toContain(token);
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('close', resolve));
    expect(written).not.toContain(token.slice(-43));
  });

  it.each(['0d', '1y', '99999d'])('rejects the expiry %j', async (expiry) => {
    const { status, stderr } = await hothouse('create', 'a', '--expires', expiry);
    expect([status, stderr]).toEqual([2, expect.stringContaining('It must be a time such as 30m, 12h or 30d')]);
  });

  it.each(['', 'a\nb', 'a\u001b[31m'])('rejects the name %j', async (name) => {
    const { status, stderr } = await hothouse('create', name);
    expect([status, stderr]).toEqual([2, expect.stringContaining('NAME has 1 to 80 characters in one line.')]);
  });
});

describe('a token of a client', () => {
  it.each(ERAS)(
    'is accepted in %s, and refused on the next request of an open connection once it is revoked',
    async (era) => {
      const tokens = new ClientTokens(home);
      const server = await serve();
      const { token, record } = await tokens.create('claude', null);
      const client = await connectEra(era, server.url, token);
      expect(textOf(await call(client, 'list_sessions'))).toBe('No session is open.');
      await tokens.revoke(record);
      const refused = await call(client, 'list_sessions').catch(String);
      expect(String(refused)).toContain('This token has been revoked; create another one by `hothouse token create`.');
      expect(String(refused)).not.toContain(token);
      await client.close().catch(() => {});
      await server.dispose();
    },
  );

  it('is refused once it has expired, with the next step', async () => {
    const server = await serve();
    const { token } = await new ClientTokens(home).create('claude', Date.now() + HOUR_MS);
    expect((await request(server, token))[0]).toBe(400);
    vi.useFakeTimers({ now: Date.now() + HOUR_MS, toFake: ['Date'] });
    const [status, text] = await request(server, token);
    expect(status).toBe(401);
    expect(text).toMatch(/This token has expired at \d{4}-[^;]*; create another one by `hothouse token create`\./);
    await server.dispose();
  });

  it('is no other token: not with a changed secret, another id, or a path in place of the id', async () => {
    const server = await serve();
    const { token, record } = await new ClientTokens(home).create('claude', null);
    const secret = token.slice(-43);
    const wrong = [
      `hothouse_${record.id}_${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`,
      `hothouse_00000000_${secret}`,
      `hothouse_../../../etc_${secret}`,
      `hothouse_${record.id}_${record.hash}`,
      record.hash,
      record.id,
      secret,
      `${token}A`,
      token.toUpperCase(),
    ];
    for (const one of wrong) expect([one, (await request(server, one))[0]]).toEqual([one, 401]);
    expect((await request(server, token))[0]).toBe(400);
    await server.dispose();
  });

  it('is not accepted from a file that is a link, that others may read, or that is no record', async () => {
    const server = await serve();
    const tokens = new ClientTokens(home);
    const { token, record } = await tokens.create('claude', null);
    const file = join(folder(), `${record.id}.json`);
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    expect((await request(server, token))[0]).toBe(401);
    chmodSync(file, 0o600);
    expect((await request(server, token))[0]).toBe(400);
    for (const content of ['', 'null', '{', text.replace(record.id, '00000000'), 'x'.repeat(100_000)]) {
      writeFileSync(file, content);
      expect((await request(server, token))[0]).toBe(401);
    }
    rmSync(file);
    writeFileSync(join(home, 'elsewhere.json'), text, { mode: 0o600 });
    symlinkSync(join(home, 'elsewhere.json'), file);
    expect((await request(server, token))[0]).toBe(401);
    expect(await tokens.list()).toEqual([]);
    await server.dispose();
  });

  it('stays apart from the others when many are created at once', async () => {
    const tokens = new ClientTokens(home);
    const created = await Promise.all(Array.from({ length: 50 }, (_, n) => tokens.create(`client ${n}`, null)));
    expect((await tokens.list()).length).toBe(50);
    const ids = created.map(({ token }) => tokens.find(token));
    expect(ids).toEqual(created.map(({ record }) => ({ ok: true, id: record.id })));
  });
});
