import { describe, expect, it } from 'vitest';
import { LeanServer } from '../../../../src/languages/lean/lsp/server.ts';
import { append, drive, driveDocument, quiet } from './harness.ts';
import { client, diagnostic, refused, result, type ScriptLine, server, session, started } from './script.ts';
import { ScriptedServer } from './scriptedServer.ts';

const { opened, waited, published } = session;
const answer = (id: number | string, end: object): ScriptLine => ({ from: 'client', message: { id, ...end } });
const unknown = (id: number | string, method: string) =>
  answer(id, { error: { code: -32601, message: `There is no method ${method}.` } });

describe('LeanServer.start', () => {
  it('sends the options that Lean needs and no others', async () => {
    const sent: string[] = [];
    const peer = new ScriptedServer(started);
    const write = peer.write.bind(peer);
    peer.write = (bytes) => {
      sent.push(bytes.toString());
      write(bytes);
    };
    const end = await LeanServer.start(peer);
    expect(end.kind).toBe('started');
    expect(JSON.parse(sent[0]?.split('\r\n\r\n')[1] ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        processId: null,
        rootUri: null,
        capabilities: { lean: { incrementalDiagnosticSupport: true } },
        initializationOptions: { editDelay: 0, hasWidgets: false },
      },
    });
    expect(peer.received).toEqual(['initialize', 'initialized']);
  });

  it('returns refused and kills a server that refuses', async () => {
    const peer = new ScriptedServer([client('initialize', {}, 1), refused(1, -32002, 'no')]);
    expect(await LeanServer.start(peer)).toEqual({ kind: 'refused', code: -32002, message: 'no' });
    expect(peer.killed).toBe(true);
  });

  it('returns lost when the process ends or answers nonsense', async () => {
    const early = new ScriptedServer(started, { endAfter: { messages: 0, bytes: 10 } });
    expect(await LeanServer.start(early)).toEqual({ kind: 'lost', reason: 'the process ended' });
    const nonsense = new ScriptedServer([client('initialize', {}, 1), result(1, 'hello')]);
    const end = await LeanServer.start(nonsense);
    expect(end.kind === 'lost' && end.reason).toContain('malformed answer to initialize');
    expect(nonsense.killed).toBe(true);
  });
});

describe('a connection', () => {
  it('answers the requests of the server', async () => {
    const { peer } = await drive([
      ...started,
      server('client/registerCapability', { registrations: [] }, 'r1'),
      server('workspace/semanticTokens/refresh', {}, 7),
      server('workspace/inlayHint/refresh', {}, 8),
      server('window/showDocument', {}, 9),
      server('window/logMessage', { message: 'hello' }),
      answer('r1', { result: null }),
      answer(7, { result: null }),
      answer(8, { result: null }),
      unknown(9, 'window/showDocument'),
    ]);
    await quiet();
    expect(peer.unsaid).toEqual([]);
    expect(peer.killed).toBe(false);
  });
});

it.each([
  ['a request', { method: 'workspace/inlayHint/refresh', id: 8 }, [answer(8, { result: null })]],
  ['a request of no known method', { method: 'window/unknown', id: 9 }, [unknown(9, 'window/unknown')]],
  ['a notification', { method: '$/unknown' }, []],
])('accepts %s without params', async (_, message, answers) => {
  const { peer } = await drive([...started, { from: 'server', message }, ...answers]);
  await quiet();
  expect(peer.unsaid).toEqual([]);
  expect(peer.killed).toBe(false);
});

describe('a connection to a faulty server', () => {
  const waiting = [...started, opened(1, 'a\n'), waited(2, 1)];
  const raw = (message: object): ScriptLine => ({ from: 'server', message: { ...message } });

  it.each([
    ['a message of no kind', raw({ jsonrpc: '2.0' })],
    ['an answer to a request that was never made', result(99)],
    ['an error without a request', raw({ id: null, error: { code: -32700, message: 'parse error' } })],
    ['malformed diagnostics', published(1, [{ message: 'no range' }])],
    ['a severity beyond the four', published(1, [diagnostic(0, 5, 'x')])],
    ['negative places', published(1, [diagnostic(-1, 1, 'x')])],
    ['malformed progress', server('$/lean/fileProgress', { processing: 1 })],
  ])('is lost after %s', async (_, line) => {
    const { document, server: lean, peer } = await driveDocument([...waiting, line, result(2)], 'a\n');
    const end = await document.settled();
    expect(end).toMatchObject({ kind: 'lost' });
    expect(await lean.lost).toMatch(/^The Lean server broke the protocol: /);
    expect(peer.killed).toBe(true);
  });

  it('is lost after bytes that are no message', async () => {
    const { document, peer } = await driveDocument(waiting, 'a\n');
    const end = document.settled();
    peer.onBytes(Buffer.from('PANIC at Nat.foo\n\n\r\n\r\n'));
    expect(await end).toMatchObject({ kind: 'lost' });
  });

  it('answers every request with the reason once it is lost', async () => {
    const { document, server: lean, peer } = await driveDocument(waiting, 'a\n');
    const end = document.settled();
    const before = peer.received.length;
    lean.kill();
    const lost = { kind: 'lost', reason: 'The Lean server was ended.' };
    expect(await end).toEqual(lost);
    append(document, 'b\n');
    expect(await document.settled()).toEqual(lost);
    expect(await document.hover({ line: 0, character: 0 })).toEqual(lost);
    expect(peer.received).toHaveLength(before);
    document.reopen();
    document.close();
    expect(await lean.lost).toBe(lost.reason);
  });

  it('counts the bytes of diagnostics', async () => {
    const { document } = await driveDocument(
      [...waiting, published(1, [diagnostic(0, 3, 'x'.repeat(1000))]), result(2)],
      'a\n',
    );
    expect(document.diagnosticBytes).toBe(0);
    await document.settled();
    expect(document.diagnosticBytes).toBeGreaterThan(1000);
    expect(document.diagnosticBytes).toBeLessThan(2000);
  });
});
