import { afterEach, describe, expect, it } from 'vitest';
import { MAX_CODE_BYTES, type OptionsInput } from '../../src/engine/options.ts';
import type { RunOutput, RunRequest } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import type { FakeHostOptions } from '../host/fakeHost.ts';
import { ALICE, BOB, EngineBench, until } from './engineBench.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

function newBench(options: OptionsInput = {}, host: FakeHostOptions = {}): EngineBench {
  const bench = new EngineBench(options, host);
  benches.push(bench);
  return bench;
}

describe('a one-shot run', () => {
  it('returns status, output, value and state', async () => {
    const bench = newBench();
    const live: RunOutput[] = [];
    const request = {
      language: 'python',
      owner: ALICE,
      code: 'print hello\nwarn careful\nshow picture\nget x',
    } as const;
    const result = await bench.engine.run({ ...request, state: { x: 7 } }, (output) => live.push(output));
    expect(result).toMatchObject({
      status: 'ok',
      exitCode: 0,
      stdout: 'hello\n',
      stderr: 'careful\n',
      result: { 'text/plain': '7' },
      error: null,
      displays: [{ data: { 'text/plain': 'picture' }, id: null }],
      state: { x: 7 },
      truncated: false,
      stdoutBytes: 6,
      stderrBytes: 8,
      sessionId: null,
      sessionLost: false,
    });
    expect(live.map(({ kind }) => kind)).toEqual(['stdout', 'stderr', 'display', 'result']);
  });

  it('returns the error of the language verbatim', async () => {
    const result = await newBench().run('error broken');
    expect(result).toMatchObject({ status: 'error', error: { name: 'RuntimeError', message: 'broken' } });
    expect(result.error?.traceback).toContain('Traceback');
  });

  it('leaves its sandbox idle for the same owner only', async () => {
    const bench = newBench({ pool: { size: 1 } });
    await bench.run('print 1');
    await bench.run('print 2');
    expect(bench.host.creations).toBe(1);
    await bench.run('print 3', { owner: BOB });
    expect(bench.host.creations).toBe(2);
  });

  it('is killed at its timeout', async () => {
    const bench = newBench();
    await bench.run('print warm');
    let output = '';
    const request = { language: 'python', owner: ALICE, code: 'print before\nhang', timeoutSeconds: 5 } as const;
    const running = bench.engine.run(request, ({ kind }) => {
      output += kind;
    });
    await until(() => output === 'stdout');
    bench.clock.advance(5_000);
    expect(await running).toMatchObject({
      status: 'timeout',
      stdout: 'before\n',
      error: { message: 'The run took longer than 5 s and was stopped. Give it more time or less to do.' },
    });
  });

  it('is killed when its caller aborts, also while it waits', async () => {
    const bench = newBench({ pool: { size: 1 } });
    const abort = new AbortController();
    const running = bench.run('hang', {}, abort.signal);
    const waiting = bench.run('hang', {}, abort.signal);
    await until(() => bench.states.includes('leased'));
    abort.abort();
    const results = await Promise.all([running, waiting]);
    expect(results.map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
    expect((await bench.run('print next')).status).toBe('ok');
  });

  it('is killed when its caller aborts just as it starts', async () => {
    const bench = newBench();
    await bench.run('print warm');
    await until(() => bench.states.includes('idle'));
    const abort = new AbortController();
    const running = bench.run('hang', {}, abort.signal);
    abort.abort();
    expect((await running).status).toBe('interrupted');
  });

  it('loses its sandbox when a kill gets no answer', async () => {
    const bench = newBench({ pool: { size: 1 } });
    await bench.run('print warm');
    await until(() => bench.states.includes('idle'));
    bench.host.faults.silentAt = 'run';
    const running = bench.run('print never', { timeoutSeconds: 1 });
    await until(() => bench.states.includes('leased'));
    bench.clock.advance(1_000);
    bench.clock.advance(1_000);
    expect((await running).status).toBe('timeout');
    bench.host.faults.silentAt = null;
    expect((await bench.run('print healed')).stdout).toBe('healed\n');
  });

  it('names the memory limit when it runs out of memory', async () => {
    const result = await newBench({ limits: { memoryMb: 64 } }).run('oom');
    expect(result.status).toBe('out_of_memory');
    expect(result.error?.message).toContain('64 MB');
  });

  it('returns status sandbox_lost when its container ends, and the next run gets another', async () => {
    const bench = newBench();
    expect(await bench.run('die')).toMatchObject({ status: 'sandbox_lost', error: { name: 'SandboxLost' } });
    expect((await bench.run('print healed')).status).toBe('ok');
  });

  it('keeps at most the output limit per stream and sets truncated', async () => {
    const flood = 'x'.repeat(5_000);
    const script: FakeHostOptions['script'] = (_, io) => io.print(flood);
    const result = await newBench({ limits: { outputKb: 1 } }, { script }).run('flood');
    expect(result).toMatchObject({ status: 'ok', truncated: true, stdoutBytes: 5_000 });
    expect(result.stdout).toHaveLength(1_024);
  });
});

describe('an invalid request', () => {
  const wrong: Record<string, [Partial<RunRequest>, string]> = {
    'of an unknown language': [
      { language: 'cobol' as 'python' },
      `There is no language "cobol". Use one of: ${LANGUAGES.map(({ id }) => id).join(', ')}.`,
    ],
    'without code': [{ code: ' \n' }, 'There is no code to run.'],
    'with too much code': [{ code: '#'.repeat(MAX_CODE_BYTES + 1) }, 'The code has 1048577 bytes; at most 1048576'],
    'with too much stdin': [{ stdin: 'x'.repeat(4_194_305) }, '`stdin` has 4194305 bytes'],
    'with too much state': [{ state: { x: 'x'.repeat(4_194_305) } }, '`state` has'],
    'with a state that is no JSON': [{ state: { x: 1n } }, '`state` is not a JSON object.'],
    'with a list as state': [{ state: [] as unknown as Record<string, unknown> }, '`state` is not a JSON object.'],
    'with a state in a session': [{ sessionId: 'py-1', state: {} }, 'A run in a session takes no `state`.'],
    'with limits in a session': [
      { sessionId: 'py-1', limits: { memoryMb: 64 } },
      'A run in a session takes no `limits`.',
    ],
    'with no CPU': [{ limits: { cpus: 0 } }, 'A limit of 0 is not accepted. Use a number above 0.'],
    'with no time': [{ timeoutSeconds: 0 }, 'A timeout of 0 s is not accepted. Use 0.1 to 86400 seconds.'],
    'with a time that is no number': [{ timeoutSeconds: Number.NaN }, 'A timeout of NaN s is not accepted.'],
    'in a session that never was': [{ sessionId: 'py-1' }, 'There is no session "py-1".'],
  };
  for (const [name, [rest, message]] of Object.entries(wrong)) {
    it(`${name} is rejected with the reason, and starts nothing`, async () => {
      const bench = newBench();
      const result = await bench.run('print 1', rest);
      expect(result.status).toBe('rejected');
      expect(result.error?.message).toContain(message);
      expect(bench.host.creations).toBe(0);
    });
  }

  it('is rejected at once when too many requests wait', async () => {
    const bench = newBench({ pool: { size: 1, maxWaiting: 1 } });
    const abort = new AbortController();
    const running = [bench.run('hang', {}, abort.signal)];
    await until(() => bench.states.includes('leased'));
    running.push(bench.run('hang', {}, abort.signal));
    const refused = await bench.run('print 1');
    expect(refused).toMatchObject({ status: 'rejected', error: { name: 'overloaded' } });
    abort.abort();
    await Promise.all(running);
  });

  it('is rejected with cause and next step when the host has a problem', async () => {
    const bench = newBench({ python: { image: 'other/image' } });
    expect(await bench.run('print 1')).toMatchObject({
      status: 'rejected',
      error: { name: 'image_missing', message: 'There is no image other/image. Run `hothouse build python`.' },
    });
  });

  it('is rejected with the reason after dispose', async () => {
    const bench = newBench();
    await bench.engine.dispose();
    expect(await bench.run('print 1')).toMatchObject({ status: 'rejected', error: { name: 'engine_closed' } });
  });
});
