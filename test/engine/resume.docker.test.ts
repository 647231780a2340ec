import { describe, expect, it } from 'vitest';
import { LABEL } from '../../src/host/labels.ts';
import { encodeFrame, FrameType } from '../../src/protocol/frames.ts';
import { askEngine } from '../faults/engineApi.ts';
import {
  begin,
  host,
  identity,
  OWNER,
  open,
  ownMachine,
  release,
  resume,
  run,
  start,
  UNTIL_RELEASED,
} from './resumeBench.ts';

ownMachine('resume-test');

describe('a session', () => {
  it('continues in another engine with its variables and files after the first one has detached', async () => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 41\nopen("f.txt", "w").write("kept")');
    await first.engine.detach();
    const second = await start();
    const { info, result } = await resume(second.engine, record);
    expect(info).toMatchObject({
      id: record.sessionId,
      state: 'idle',
      owner: OWNER,
      runs: 1,
      sandboxId: record.sandboxId,
    });
    expect(result).toBeNull();
    expect(await run(second.engine, record.sessionId, 'print(x + 1, open("f.txt").read())')).toMatchObject({
      status: 'ok',
      stdout: '42 kept\n',
    });
    const matches = async () => {
      const completed = await second.engine.complete(record.sessionId, 'x.bit_len', 9);
      return completed.ok && completed.value.matches;
    };
    // The first one of a sandbox takes some seconds.
    await expect.poll(matches, { timeout: 20_000 }).toEqual(['bit_length']);
    await second.engine.dispose();
    expect((await host.list({ [LABEL.machine]: identity.machine })).map(({ id }) => id)).not.toContain(
      record.sandboxId,
    );
  });

  it('returns the result of a cell that ran through the change of engines, with its whole output', async () => {
    const first = await start();
    const record = await open(first);
    const print = (from: number, to: number) => `for i in range(${from}, ${to}): print(i, flush=True)`;
    const cell = `${print(0, 10)}\n${UNTIL_RELEASED}\n${print(10, 20)}\n"done"`;
    const left = await begin(first.engine, record.sessionId, cell, { cell: 'cell-7' });
    await first.engine.detach();
    const { status, runId } = await left.ended;
    expect(status).toBe('sandbox_lost');
    const second = await start();
    const { info, run: continued, result, outputs } = await resume(second.engine, record);
    expect(info.state).toBe('busy');
    expect(continued).toMatchObject({ runId, cell: 'cell-7', isWhole: true });
    await release(second.engine, record.sessionId);
    const numbers = Array.from({ length: 20 }, (_, i) => `${i}\n`).join('');
    expect(await result).toMatchObject({
      status: 'ok',
      stdout: `begun\n${numbers}`,
      result: { 'text/plain': "'done'" },
      sessionId: record.sessionId,
    });
    expect(outputs.flatMap((output) => (output.kind === 'stdout' ? [output.text] : [])).join('')).toBe(
      `begun\n${numbers}`,
    );
    expect(await run(second.engine, record.sessionId, 'i')).toMatchObject({ result: { 'text/plain': '19' } });
    await second.engine.dispose();
  });

  it('keeps 10 MB that a cell prints while no engine listens, and runs on when one does', async () => {
    const first = await start();
    const record = await open(first);
    const cell = `
import sys, time
time.sleep(1)
for i in range(5 << 4):
    sys.stdout.write("o" * 65535 + "\\n"); sys.stderr.write("e" * 65535 + "\\n")
"done"`;
    await begin(first.engine, record.sessionId, cell);
    await first.engine.detach();
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const second = await start();
    const { result } = await resume(second.engine, record);
    const ended = await result;
    expect(ended).toMatchObject({ status: 'ok', result: { 'text/plain': "'done'" }, outputCut: false });
    expect(ended?.stdout.length).toBe((5 << 20) + 'begun\n'.length);
    expect(ended?.stderr).toBe(`${'e'.repeat(65535)}\n`.repeat(5 << 4));
    await second.engine.dispose();
  });

  it('is refused to an engine with another secret, and the engine that has it keeps it', async () => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 1');
    const second = await start();
    const refused = await second.engine.resumeSession({ ...record, secret: '0'.repeat(64) });
    expect(refused).toMatchObject({
      ok: false,
      error: {
        kind: 'unknown_session',
        message: `Session ${record.sessionId} cannot be resumed: its secret is another one.`,
      },
    });
    expect(await run(first.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await second.engine.dispose();
    expect(await run(first.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await first.engine.dispose();
    const third = await start();
    expect(await third.engine.resumeSession(record)).toMatchObject({
      error: { message: `Session ${record.sessionId} cannot be resumed: its sandbox is gone.` },
    });
    await third.engine.dispose();
  });

  it('goes to the engine that comes last, and the other one loses it without harm to the sandbox', async () => {
    const [first, second] = [await start(), await start()];
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 5');
    const cell = await begin(first.engine, record.sessionId, `${UNTIL_RELEASED}\nx += 1`);
    const { result } = await resume(second.engine, record);
    expect(await cell.ended).toMatchObject({ status: 'sandbox_lost', sessionLost: true });
    expect(first.engine.snapshot().sessions[0]).toMatchObject({
      state: 'ended',
      endReason: 'another window or process has taken it over',
    });
    await first.engine.dispose();
    expect(first.records.has(record.sessionId)).toBe(true);
    await release(second.engine, record.sessionId);
    expect(await result).toMatchObject({ status: 'ok', stdout: 'begun\n' });
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ stdout: '6\n' });
    await second.engine.dispose();
  });

  it('keeps the time limit of a running cell', async () => {
    const first = await start();
    const record = await open(first);
    await begin(first.engine, record.sessionId, 'import time; time.sleep(3600)', { timeoutSeconds: 4 });
    await first.engine.detach();
    const second = await start();
    const { result } = await resume(second.engine, record);
    const ended = await result;
    expect(ended).toMatchObject({ status: 'timeout', sessionLost: false });
    expect(ended?.durationMs).toBeGreaterThan(3_900);
    expect(await run(second.engine, record.sessionId, 'print(1)')).toMatchObject({ status: 'ok' });
    await second.engine.dispose();
  });

  it('can be interrupted in the engine that has resumed it', async () => {
    const first = await start();
    const record = await open(first);
    await begin(first.engine, record.sessionId, 'import time; time.sleep(3600)');
    await first.engine.detach();
    const second = await start();
    const { result } = await resume(second.engine, record);
    await second.engine.interruptSession(record.sessionId);
    expect(await result).toMatchObject({ status: 'interrupted', sessionLost: false });
    await second.engine.dispose();
  });

  it('ends with its sandbox when no engine comes', async () => {
    const first = await start();
    const record = await open(first);
    await first.engine.detach();
    expect((await host.list({ [LABEL.machine]: identity.machine })).map(({ id }) => id)).toEqual([record.sandboxId]);
    const gone = async () => (await host.list({ [LABEL.machine]: identity.machine })).length === 0;
    await expect.poll(gone, { timeout: 40_000, interval: 500 }).toBe(true);
  });

  // A frame's header, its length, its payload, its end, and what follows it: an engine can end within any of them.
  const frame = encodeFrame(FrameType.run, 1, `{"op": "run", "code": "${'#'.repeat(500)}"}\n`);
  const request = encodeFrame(FrameType.request, 0, JSON.stringify({ id: 9_000, op: 'measure' }));
  it.each([
    ['the type', frame.subarray(0, 1)],
    ['the channel', frame.subarray(0, 3)],
    ['the length', frame.subarray(0, 7)],
    ['the header', frame.subarray(0, 9)],
    ['the payload', frame.subarray(0, 300)],
    ['the payload and before the end', frame.subarray(0, -1)],
    ['the header of an order', request.subarray(0, 8)],
    ['an order', request.subarray(0, 20)],
    ['an order and before its end', request.subarray(0, -1)],
    ['nothing', Buffer.alloc(0)],
  ])('continues after an engine that ended after %s of a frame', async (_, bytes) => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 1');
    await first.engine.detach();
    await write(record.sandboxId, bytes);
    const second = await start();
    await resume(second.engine, record);
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await second.engine.dispose();
  });
});

/** Writes bytes to a container's stdin as an engine that ends then. */
async function write(id: string, bytes: Buffer): Promise<void> {
  const container = await host.attach(id, { [LABEL.machine]: identity.machine });
  container?.stdin.write(bytes);
  await container?.detach();
  expect((await askEngine('GET', `/containers/${id}/json`)).status).toBe(200);
}
