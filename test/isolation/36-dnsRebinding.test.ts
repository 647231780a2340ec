import { describe, expect, it } from 'vitest';
import { StubEngine } from '../mcp/stubEngine.ts';
import {
  acceptedHead,
  attackRequests,
  goodHead,
  type Head,
  linesOf,
  runCode,
  sendRaw,
  serveSession,
  statelessHead,
  statelessRunCode,
} from './mcpServer.ts';

/** Authorities that a rebound name, a proxy or a creative parser could bring, none of them this server's. */
function foreignHosts(port: number): string[] {
  return [
    '',
    'null',
    '*',
    '127.0.0.1',
    'localhost',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1:0${port}`,
    `127.0.0.1:${port}0`,
    `evil.example:${port}`,
    `127.0.0.1:${port}.evil.example`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `evil-localhost:${port}`,
    `localhost.:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `0x7f000001:${port}`,
    `0.0.0.0:${port}`,
    `[::]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `user@127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.example`,
    `127.0.0.1:${port}, evil.example`,
    `evil.example, 127.0.0.1:${port}`,
    `http://127.0.0.1:${port}`,
    `127.0.0.1:${port}/`,
    `127.0.0.1:${port}#evil.example`,
  ];
}

/** Origins of pages that are not this server's. */
function foreignOrigins(port: number): string[] {
  return [
    '',
    'null',
    '*',
    'file://',
    'vscode-webview://page',
    'chrome-extension://page',
    'https://evil.example',
    `http://evil.example:${port}`,
    'http://127.0.0.1',
    `http://127.0.0.1:${port + 1}`,
    `https://127.0.0.1:${port}`,
    `127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://127.0.0.1.evil.example:${port}`,
    `http://localhost.evil.example:${port}`,
    `http://localhost.:${port}`,
    `http://user@127.0.0.1:${port}`,
    `http://127.0.0.1:${port}@evil.example`,
    `http://127.0.0.1:${port}, http://evil.example`,
    `http://evil.example http://127.0.0.1:${port}`,
    `http://0.0.0.0:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
  ];
}

/** Changes of a good request's head: Host alone, Origin alone, both, and each of them twice. */
function attacks(port: number): Partial<Head>[] {
  const good = `127.0.0.1:${port}`;
  const own = [`Origin: http://${good}`];
  return [
    { host: [] },
    ...foreignHosts(port).flatMap((host) => [
      { host: [`Host: ${host}`] },
      { host: [`Host: ${host}`], origin: own },
      { host: [`Host: ${host}`], origin: [`Origin: http://${host}`] },
      { host: [`Host: ${host}`, `Host: ${good}`] },
      { host: [`Host: ${good}`, `Host: ${host}`] },
    ]),
    { host: [`Host: ${good}`, `Host: ${good}`] },
    ...foreignOrigins(port).flatMap((origin) => [
      { origin: [`Origin: ${origin}`] },
      { origin: [`Origin: ${origin}`, ...own] },
      { origin: [...own, `Origin: ${origin}`] },
    ]),
    { origin: [...own, ...own] },
  ];
}

describe('row 36: DNS rebinding', () => {
  const engine = new StubEngine();
  const served = serveSession(engine);

  it.each(attackRequests())(
    '%s with the right token and a foreign Host or Origin is answered with 403, always',
    async (method, body, session) => {
      const head = acceptedHead(served, method, session);
      const tried = attacks(served.port);
      const answers = await Promise.all(
        tried.map((attack) => sendRaw(served.port, linesOf({ ...head, ...attack }), body)),
      );
      expect(tried.filter((_attack, at) => answers[at]?.status !== 403)).toEqual([]);
      expect(engine.requests).toEqual([]);
    },
  );

  it('a foreign address in the request line is not served', async () => {
    const head = goodHead(served, 'POST', served.sessionId);
    const lines = [`http://evil.example/mcp`, `http://127.0.0.1:${served.port}/mcp`, '//evil.example/mcp', '*'];
    for (const target of lines) {
      const { status } = await sendRaw(
        served.port,
        linesOf({ ...head, line: `POST ${target} HTTP/1.1` }),
        runCode('x'),
      );
      expect([404, 400]).toContain(status);
    }
    expect(engine.requests).toEqual([]);
  });

  it('does not affect the client that the attacks name', async () => {
    const answer = await sendRaw(served.port, linesOf(goodHead(served, 'POST', served.sessionId)), runCode('mine'));
    expect(answer.status).toBe(200);
    expect((await sendRaw(served.port, linesOf(statelessHead(served)), statelessRunCode('also'))).status).toBe(200);
    expect(engine.requests.map(({ code }) => code)).toEqual(['mine', 'also']);
  });
});
