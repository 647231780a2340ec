import { afterEach, describe, expect, it } from 'vitest';
import type { OptionsInput } from '../../src/engine/options.ts';
import { ALICE, BOB, EngineBench, until } from './engineBench.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

async function sessionBench(options: OptionsInput = {}) {
  const bench = new EngineBench(options);
  benches.push(bench);
  const sessionId = await bench.open();
  return {
    bench,
    sessionId,
    run: (code: string, rest = {}) => bench.run(code, { sessionId, ...rest }),
    begin: (code: string, rest = {}) => bench.begin(code, { sessionId, ...rest }),
  };
}

describe('a session', () => {
  it('keeps its variables, for cells of every owner', async () => {
    const { sessionId, run } = await sessionBench();
    expect(sessionId).toMatch(/^py-[0-9a-f]{8}$/);
    await run('set x 42');
    expect(await run('get x', { owner: BOB })).toMatchObject({
      result: { 'text/plain': '42' },
      sessionId,
      exitCode: null,
    });
  });

  it('runs its cells one at a time, in the order of arrival', async () => {
    const { bench, run, begin } = await sessionBench();
    const slow = await begin('sleep 1000\nset x first');
    const rest = ['second', 'third'].map((word) => run(`get x\nset x ${word}`));
    bench.clock.advance(1_000);
    const results = await Promise.all([slow.result, ...rest]);
    expect(results.map(({ result }) => result?.['text/plain'])).toEqual([undefined, 'first', 'second']);
  });

  it('survives errors, and interrupts that end the cell', async () => {
    const { bench, sessionId, run, begin } = await sessionBench();
    await run('set x 1');
    expect(await run('error no')).toMatchObject({ status: 'error', sessionLost: false });
    const { result } = await begin('sleep 100000', { timeoutSeconds: 500 });
    await bench.engine.interruptSession(sessionId);
    expect(await result).toMatchObject({
      status: 'interrupted',
      sessionLost: false,
      error: { name: 'KeyboardInterrupt' },
    });
    expect((await run('get x')).result).toEqual({ 'text/plain': '1' });
  });

  it('ends when its code ignores an interrupt for three seconds, with the reason', async () => {
    const { bench, sessionId, run } = await sessionBench();
    const running = run('hang');
    await bench.busy(sessionId);
    await bench.engine.interruptSession(sessionId);
    bench.clock.advance(2_900);
    expect(bench.session(sessionId)?.state).toBe('busy');
    bench.clock.advance(100);
    const result = await running;
    expect(result).toMatchObject({ status: 'interrupted', sessionLost: true });
    expect(result.error?.message).toContain(`Session ${sessionId} has ended and its variables are lost`);
    const next = await run('get x');
    expect(next).toMatchObject({ status: 'rejected', error: { name: 'unknown_session' } });
    expect(next.error?.message).toBe(
      `Session ${sessionId} has ended: a run did not stop when it was interrupted. Restart it or open a new one.`,
    );
  });

  it('keeps its variables after a timeout that an interrupt ends', async () => {
    const { bench, run, begin } = await sessionBench();
    await run('set x 1');
    const { result } = await begin('sleep 100000', { timeoutSeconds: 2 });
    bench.clock.advance(2_000);
    expect(await result).toMatchObject({ status: 'timeout', sessionLost: false });
    expect((await run('get x')).status).toBe('ok');
  });

  it('ends after a timeout that needs a kill', async () => {
    const { bench, sessionId, run } = await sessionBench();
    const running = run('hang', { timeoutSeconds: 2 });
    await bench.busy(sessionId);
    bench.clock.advance(5_000);
    expect(await running).toMatchObject({ status: 'timeout', sessionLost: true });
    expect(bench.session(sessionId)?.state).toBe('ended');
  });

  it('runs without a time limit for a notebook only', async () => {
    const { bench, run, begin } = await sessionBench();
    expect((await run('print 1', { timeoutSeconds: 0 })).status).toBe('rejected');
    const { result } = await begin('sleep 500000', { timeoutSeconds: 0, owner: BOB });
    bench.clock.advance(500_000);
    expect((await result).status).toBe('ok');
  });

  for (const [code, status, reason] of [
    ['oom', 'out_of_memory', 'it ran out of memory'],
    ['die', 'sandbox_lost', 'its sandbox was lost'],
  ] as const) {
    it(`that ends with ${status} returns the reason to later cells, and can be restarted`, async () => {
      const { bench, run, sessionId } = await sessionBench();
      expect(await run(code)).toMatchObject({ status, sessionLost: true });
      expect((await run('print 1')).error?.message).toContain(reason);
      expect((await bench.engine.restartSession(sessionId)).ok).toBe(true);
      expect((await run('print again')).stdout).toBe('again\n');
    });
  }

  it('that loses its sandbox while idle ends with the reason, which is logged', async () => {
    const { bench, sessionId } = await sessionBench();
    expect(bench.session(sessionId)?.endReason).toBeNull();
    await bench.engine.stopSandbox(bench.session(sessionId)?.sandboxId ?? '');
    await until(() => bench.session(sessionId)?.state === 'ended');
    expect(bench.session(sessionId)).toMatchObject({
      sandboxId: null,
      endReason: expect.stringMatching(/^its sandbox was lost \(.+\)$/),
    });
    expect(bench.logged).toEqual([`Session ${sessionId} has ended: ${bench.session(sessionId)?.endReason}.`]);
  });

  it('that loses its interpreter between two cells ends at that moment', async () => {
    const { bench, sessionId, run } = await sessionBench();
    await run('leave 1000 3');
    expect(bench.session(sessionId)?.state).toBe('idle');
    bench.clock.advance(1_000);
    await until(() => bench.session(sessionId)?.state === 'ended');
    const endReason = 'its interpreter left with exit status 3';
    expect(bench.session(sessionId)).toMatchObject({ sandboxId: null, endReason });
    expect((await run('get x')).error?.message).toContain(endReason);
    expect((await bench.engine.restartSession(sessionId)).ok).toBe(true);
    expect(bench.session(sessionId)).toMatchObject({ state: 'idle', endReason: null });
  });

  it('that loses its interpreter during a cell returns the outcome of the cell', async () => {
    const { bench, sessionId, run } = await sessionBench();
    await run('oom');
    expect(bench.session(sessionId)?.endReason).toBe('it ran out of memory');
  });

  it('restarts during a cell, and rejects waiting cells', async () => {
    const { bench, sessionId, run } = await sessionBench();
    await run('set x 1');
    const running = run('hang');
    const waiting = run('print never');
    await bench.busy(sessionId);
    const restarted = await bench.engine.restartSession(sessionId);
    expect(restarted).toMatchObject({ ok: true, value: { id: sessionId, state: 'idle' } });
    expect(await running).toMatchObject({ status: 'interrupted', sessionLost: true });
    expect((await waiting).error?.message).toContain('was restarted before this run began');
    expect(await run('get x')).toMatchObject({ status: 'error', error: { name: 'NameError' } });
  });

  it('closes during a cell, destroys its sandbox, and stays listed as closed', async () => {
    const { bench, sessionId, run } = await sessionBench({ pool: { size: 1 } });
    const running = run('hang');
    await bench.busy(sessionId);
    const { sandboxId } = bench.session(sessionId) ?? {};
    expect(await bench.engine.closeSession(sessionId)).toMatchObject({ ok: true, value: { state: 'ended' } });
    expect((await running).error?.message).toContain('was closed and its variables are lost');
    expect(bench.session(sessionId)).toBeUndefined();
    expect((await run('print 1')).error?.message).toBe(
      `Session ${sessionId} has ended: it was closed. Open a new one.`,
    );
    expect((await bench.engine.closeSession(sessionId)).ok).toBe(false);
    await until(() => !bench.host.containers.has(sandboxId ?? ''));
  });

  it('allows a waiting cell to be cancelled', async () => {
    const { bench, sessionId, run } = await sessionBench();
    const running = run('hang');
    await bench.busy(sessionId);
    const abort = new AbortController();
    const waiting = bench.run('print 1', { sessionId }, abort.signal);
    abort.abort();
    expect((await waiting).status).toBe('interrupted');
    await bench.engine.closeSession(sessionId);
    await running;
  });

  it('limits the number of waiting cells', async () => {
    const { bench, sessionId, run, begin } = await sessionBench();
    const running = await begin('hang');
    const waiting = Array.from({ length: 100 }, () => run('print 1'));
    expect(await run('print 1')).toMatchObject({ status: 'rejected', error: { name: 'overloaded' } });
    await bench.engine.closeSession(sessionId);
    expect((await running.result).status).toBe('interrupted');
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('completes between cells, and returns nothing during one', async () => {
    const { bench, sessionId, run } = await sessionBench();
    await run('set number 1');
    expect(await bench.engine.complete(sessionId, 'num', 3)).toEqual({
      ok: true,
      value: { start: 0, end: 3, matches: ['number'] },
    });
    const running = run('hang');
    await bench.busy(sessionId);
    expect(await bench.engine.complete(sessionId, 'num', 3)).toEqual({
      ok: true,
      value: { start: 3, end: 3, matches: [] },
    });
    await bench.engine.closeSession(sessionId);
    await running;
  });
});

describe('sessions', () => {
  it('are rejected beyond their limit; ended ones do not count', async () => {
    const { bench, run } = await sessionBench({ sessions: { max: 1 } });
    const refused = await bench.engine.openSession('python', ALICE);
    expect(refused).toMatchObject({ ok: false, error: { kind: 'session_limit' } });
    await run('die');
    expect((await bench.engine.openSession('python', ALICE)).ok).toBe(true);
  });

  it('that cannot start are not listed', async () => {
    const bench = new EngineBench({ python: { image: 'other/image' } });
    benches.push(bench);
    expect(await bench.engine.openSession('python', ALICE)).toMatchObject({
      ok: false,
      error: { kind: 'image_missing' },
    });
    expect(await bench.engine.openSession('basic', ALICE)).toMatchObject({
      ok: false,
      error: { kind: 'unknown_language' },
    });
    expect(bench.engine.snapshot().sessions).toEqual([]);
  });
});
