import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ended, start } from '../cli/program.ts';
import { StubEngine } from '../mcp/stubEngine.ts';
import {
  acceptedHead,
  attackRequests,
  goodHead,
  linesOf,
  runCode,
  sendRaw,
  serve,
  serveSession,
  statelessHead,
  statelessRunCode,
} from './mcpServer.ts';

/** What a process could send that knows everything but the token; the last ones know how it is compared. */
function wrongTokens(token: string): string[] {
  const changed = [...token].map(
    (letter, at) => token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1),
  );
  const digest = createHash('sha256').update(token);
  return [
    ...['', ' ', 'null', 'undefined', 'true', '*', 'Bearer', token.slice(1), token.slice(0, -1)],
    ...[`${token}A`, `A${token}`, `${token}=`, `${token},`, `"${token}"`, `${token}\t${token}`],
    ...[token.toLowerCase(), token.toUpperCase(), [...token].reverse().join('')],
    Buffer.from(token, 'base64url').toString('hex'),
    Buffer.from(token).toString('base64'),
    digest.copy().digest('hex'),
    digest.copy().digest('base64url'),
    ...changed,
  ].filter((wrong) => wrong !== token);
}

/** Headers without the token where it belongs: missing, wrong, of another scheme, double, or in another place. */
function attacks(token: string): string[][] {
  const right = `Authorization: Bearer ${token}`;
  return [
    [],
    ['Authorization:'],
    ['Authorization: Bearer'],
    [`Authorization: ${token}`],
    [`Authorization: Basic ${Buffer.from(`:${token}`).toString('base64')}`],
    [`Authorization: Basic ${token}`],
    [`Authorization: Token ${token}`],
    [`Proxy-Authorization: Bearer ${token}`],
    [`X-Api-Key: ${token}`],
    [`Cookie: token=${token}; authorization=Bearer ${token}`],
    [right, right],
    [right, 'Authorization: Bearer x'],
    ['Authorization: Bearer x', right],
    ...wrongTokens(token).map((wrong) => [`Authorization: Bearer ${wrong}`]),
  ];
}

describe('row 37: a rogue process on the same machine', () => {
  const engine = new StubEngine();
  const served = serveSession(engine);

  it.each([...attackRequests(), ['PUT', '', undefined] as const])(
    '%s without the token, or with a wrong one, is answered with 401, always',
    async (method, body, session) => {
      const { token } = served;
      const head = acceptedHead(served, method, session);
      const tried = attacks(token);
      const answers = await Promise.all(
        tried.map((authorization) => sendRaw(served.port, linesOf({ ...head, authorization }), body)),
      );
      expect(tried.filter((_lines, at) => answers[at]?.status !== 401)).toEqual([]);
      expect(answers.filter(({ text }) => text.includes(token))).toEqual([]);
      expect(engine.requests).toEqual([]);
    },
  );

  it('has no other way to send the token', async () => {
    const { token } = served;
    const head = { ...goodHead(served, 'POST', served.sessionId), authorization: [] };
    for (const query of [`token=${token}`, `access_token=${token}`, `authorization=Bearer%20${token}`]) {
      const line = `POST /mcp?${query} HTTP/1.1`;
      expect((await sendRaw(served.port, linesOf({ ...head, line }), runCode('stolen'))).status).toBe(401);
    }
    expect(engine.requests).toEqual([]);
  });

  it('does not affect the client that the attacks name', async () => {
    const answer = await sendRaw(served.port, linesOf(goodHead(served, 'POST', served.sessionId)), runCode('mine'));
    expect([answer.status, engine.requests.map(({ code }) => code)]).toEqual([200, ['mine']]);
    expect((await sendRaw(served.port, linesOf(statelessHead(served)), statelessRunCode('mine'))).status).toBe(200);
  });

  it('cannot guess the token: 256 random bits, new for each server, and never fewer than 128', async () => {
    const others = await Promise.all(Array.from({ length: 20 }, () => serve(new StubEngine())));
    const tokens = others.map(({ token }) => token);
    await Promise.all(others.map((other) => other.dispose()));
    expect(new Set(tokens).size).toBe(20);
    expect(tokens.map((token) => Buffer.from(token, 'base64url').length)).toEqual(tokens.map(() => 32));
    await expect(serve(new StubEngine(), { token: 'a'.repeat(21) })).rejects.toThrow(RangeError);
  });

  it('reaches the server by no other interface', async () => {
    const { port } = served;
    const addresses = Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
    const others = [...new Set([...addresses, '127.0.0.2', '::1'])].filter((address) => address !== '127.0.0.1');
    const reached = await Promise.all(others.map((address) => isOpen(address, port)));
    expect(others.filter((_address, at) => reached[at])).toEqual([]);
    expect(await isOpen('127.0.0.1', port)).toBe(true);
    expect(listeners(port)).toEqual(['0100007F']);
  });

  it('cannot read the token of `hothouse serve` from its command line or environment', async () => {
    const program = start(['serve', '--json']);
    const line = await new Promise<string>((resolve) =>
      program.stdout?.once('data', (chunk) => resolve(String(chunk))),
    );
    const { token } = JSON.parse(line);
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const name of ['cmdline', 'environ']) {
      expect(readFileSync(`/proc/${program.pid}/${name}`, 'latin1')).not.toContain(token);
    }
    program.kill('SIGTERM');
    expect((await ended(program)).stderr).not.toContain(token);
  });
});

function isOpen(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** The addresses on which a socket listens at the port, in the kernel's hexadecimal spelling. */
function listeners(port: number): string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));
  const rows = tables.flatMap((table) => readFileSync(table, 'utf8').split('\n')).map((row) => row.trim().split(/\s+/));
  const listening = rows.filter(([, address = '', , state]) => address.endsWith(local) && state === '0A');
  return listening.map(([, address = '']) => address.slice(0, -local.length));
}
