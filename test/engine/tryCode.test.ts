import { afterEach, describe, expect, it } from 'vitest';
import type { OptionsInput } from '../../src/engine/options.ts';
import type { TryOptions } from '../../src/engine/trial/types.ts';
import { python } from '../../src/languages/python/definition.ts';
import { EngineBench } from './engineBench.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

async function trialBench(options: OptionsInput = {}) {
  const bench = new EngineBench(options);
  benches.push(bench);
  const sessionId = await bench.open();
  const run = (code: string) => bench.run(code, { sessionId });
  const attempt = (codes: readonly string[], rest: TryOptions = {}, signal?: AbortSignal) =>
    bench.engine.tryCode(
      sessionId,
      codes.map((code) => ({ code })),
      rest,
      signal,
    );
  /** The results of candidates that must be tried. */
  const results = async (...given: Parameters<typeof attempt>) => {
    const tried = await attempt(...given);
    if (!tried.ok) throw new Error(tried.error.message);
    const [kept, all] = [tried.value.kept, tried.value.candidates.map(({ result }) => result)];
    return { kept, all, texts: all.map(({ result }) => result?.['text/plain'] ?? null) };
  };
  return { bench, sessionId, run, attempt, results };
}

describe('candidates that are tried in a session', () => {
  it('have its variables, and change neither them nor those of the others', async () => {
    const { run, results, sessionId } = await trialBench();
    await run('set x 1');
    const { all, texts, kept } = await results(['set x 2\nget x', 'get x', 'error no']);
    expect(texts).toEqual(['2', '1', null]);
    expect(kept).toBeNull();
    expect(all.map(({ status }) => status)).toEqual(['ok', 'ok', 'error']);
    expect(all[0]).toMatchObject({ sessionId, exitCode: null, files: null, sessionLost: false });
    expect((await run('get x')).result).toEqual({ 'text/plain': '1' });
  });

  it.each([
    ['its id', '2', '2', 'b'],
    ['the first with status ok', 'first_ok', '2', 'b'],
    ['the id of one that fails: none', '1', null, 'before'],
  ])('leave the session with the copy that is kept, by %s', async (_, keep, kept, value) => {
    const { run, results, bench, sessionId } = await trialBench();
    await run('set x before');
    expect((await results(['set x a\nerror no', 'set x b', 'set x c'], { keep })).kept).toBe(kept);
    expect((await run('get x')).result).toEqual({ 'text/plain': value });
    const completed = await bench.engine.complete(sessionId, 'x', 1);
    expect(completed).toMatchObject({ ok: true, value: { matches: ['x'] } });
    expect(bench.session(sessionId)).toMatchObject({ state: 'idle' });
  });

  it('can be tried on a copy that was kept', async () => {
    const { run, results } = await trialBench();
    await results(['set x 1'], { keep: 'first_ok' });
    await results(['set x 2'], { keep: 'first_ok' });
    const { texts } = await results(['get x', 'set x 3\nget x']);
    expect(texts).toEqual(['2', '3']);
    expect((await run('get x')).result).toEqual({ 'text/plain': '2' });
  });

  it('end at their own timeouts, and the session lives on', async () => {
    const { bench, run, attempt, sessionId } = await trialBench();
    await run('set x 1');
    const tried = attempt(['hang', 'print fast'], { timeoutSeconds: 2, keep: '1' });
    await bench.busy(sessionId);
    // Until the fast one has ended, which nothing shows.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    bench.clock.advance(2_000);
    const { value } = (await tried) as Extract<Awaited<typeof tried>, { ok: true }>;
    expect(value.candidates.map(({ result }) => result.status)).toEqual(['timeout', 'ok']);
    expect(value.kept).toBeNull();
    expect((await run('get x')).status).toBe('ok');
  });

  it('are all ended by an interrupt of the session, and by an abort', async () => {
    const { bench, run, results, sessionId } = await trialBench();
    const tried = results(['hang', 'hang']);
    await bench.busy(sessionId);
    await bench.engine.interruptSession(sessionId);
    expect((await tried).all.map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
    const abort = new AbortController();
    const second = results(['hang'], {}, abort.signal);
    await bench.busy(sessionId);
    abort.abort();
    expect((await second).all).toMatchObject([{ status: 'interrupted', sessionLost: false }]);
    expect((await run('print on')).stdout).toBe('on\n');
  });

  it('that run out of memory harm no other', async () => {
    const { run, results } = await trialBench();
    const { all } = await results(['oom', 'print on']);
    expect(all).toMatchObject([
      { status: 'out_of_memory', sessionLost: false },
      { status: 'ok', stdout: 'on\n' },
    ]);
    expect((await run('print on')).stdout).toBe('on\n');
  });

  it('are lost with their sandbox, and so is the session', async () => {
    const { results, bench, sessionId } = await trialBench();
    const { all } = await results(['die', 'hang'], { keep: 'first_ok' });
    expect(all).toMatchObject([
      { status: 'sandbox_lost', sessionLost: true },
      { status: 'sandbox_lost', sessionLost: true },
    ]);
    expect(bench.session(sessionId)?.state).toBe('ended');
  });

  it('wait for the running cell', async () => {
    const { bench, results, sessionId } = await trialBench();
    const { result } = await bench.begin('sleep 1000\nset x late', { sessionId });
    const tried = results(['get x']);
    bench.clock.advance(1_000);
    await result;
    expect((await tried).texts).toEqual(['late']);
  });

  it.each([
    ['there are none', [], {}, 'There are 0 candidates.'],
    ['there are too many', Array(21).fill({ code: '1' }), {}, 'There are 21 candidates.'],
    [
      'an id is there twice',
      [
        { id: 'a', code: '1' },
        { id: 'a', code: '2' },
      ],
      {},
      '"a" cannot name',
    ],
    ['an id is the name of a rule', [{ id: 'first_ok', code: '1' }], {}, '"first_ok" cannot name'],
    ['a candidate to keep is missing', [{ code: '1' }], { keep: 'b' }, 'no candidate "b" to keep'],
    ['one has no code', [{ code: ' ' }], {}, 'no code'],
    ['the timeout is 0', [{ code: '1' }], { timeoutSeconds: 0 }, 'A timeout of 0 s'],
  ])('are refused when %s', async (_, candidates, options, message) => {
    const { bench, sessionId } = await trialBench();
    const tried = await bench.engine.tryCode(sessionId, candidates, options);
    expect(tried).toMatchObject({ ok: false, error: { kind: 'invalid_request' } });
    expect(!tried.ok && tried.error.message).toContain(message);
  });

  it('are refused in a session of a language without copies, and in one that is unknown', async () => {
    const bench = new EngineBench({}, {}, [{ ...python, create: withoutCopies }]);
    benches.push(bench);
    expect(await bench.engine.tryCode('py-1', [{ code: '1' }])).toMatchObject({ error: { kind: 'unknown_session' } });
    const tried = await bench.engine.tryCode(await bench.open(), [{ code: '1' }]);
    expect(tried).toMatchObject({ ok: false, error: { kind: 'invalid_request' } });
    expect(!tried.ok && tried.error.message).toContain('cannot be copied');
  });
});

/** Python, whose interpreters cannot be copied. */
const withoutCopies: typeof python.create = (context) => {
  const language = python.create(context);
  const open: typeof language.open = (...given) => {
    const interpreter = language.open(...given);
    return {
      run: (...cell) => interpreter.run(...cell),
      complete: (...question) => interpreter.complete(...question),
      interrupt: () => interpreter.interrupt(),
      kill: () => interpreter.kill(),
    };
  };
  return { ...language, open };
};
