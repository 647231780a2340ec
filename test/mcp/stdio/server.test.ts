import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { serveStdio } from '../../../src/mcp/stdio/server.ts';
import { runResult, StubEngine } from '../stubEngine.ts';

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

describe('MCP over stdio', () => {
  it('answers until stdin ends, then aborts what still runs', async () => {
    const engine = new StubEngine();
    engine.answer = (_request, _onOutput, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(runResult())));
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const served = serveStdio({ engine, version: '1', log: silentLog, stdin, stdout });
    stdin.write(line({ id: 1, method: 'initialize', params: CLIENT }));
    const answer: unknown = JSON.parse(String(await new Promise((resolve) => stdout.once('data', resolve))));
    expect(answer).toMatchObject({ id: 1, result: { serverInfo: { name: 'hothouse' } } });
    const run = { name: 'run_code', arguments: { language: 'python', code: 'forever' } };
    stdin.write(line({ id: 2, method: 'tools/call', params: run }));
    while (engine.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stdin.end();
    await served;
    expect(engine.aborted).toEqual(['forever']);
  });

  it('ends when its reader has gone', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const served = serveStdio({ engine: new StubEngine(), version: '1', log: silentLog, stdin, stdout });
    stdout.destroy(new Error('EPIPE'));
    await served;
  });
});
