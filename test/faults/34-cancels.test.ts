import { afterEach, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import { ALICE, BOB, EngineBench, until } from '../engine/engineBench.ts';
import { dice } from './harness.ts';

const CANCELS = 2_000;
const CODES = ['print 1', 'hang', 'print go\nhang', 'sleep 5', 'error broken', 'print a\nsleep 1\nprint b'];

describe('row 34: cancels at any moment, on a host in memory', () => {
  let bench: EngineBench;
  afterEach(() => bench.engine.dispose());

  it(`end each of ${CANCELS} runs once, without output after the end and without lost sandboxes`, async () => {
    bench = new EngineBench({ pool: { size: 4 } });
    const roll = dice(34);
    const sessions = [await bench.open(), await bench.open(BOB)];
    const afterEnd: string[] = [];
    const cancelled = async (): Promise<RunResult> => {
      const abort = new AbortController();
      let over = false;
      const code = CODES[roll(CODES.length)] ?? '';
      const where = roll(4) === 0 ? { sessionId: sessions[roll(2)] ?? '' } : {};
      const request = { language: 'python', owner: roll(10) === 0 ? BOB : ALICE, code, ...where } as const;
      const running = bench.engine.run(request, ({ kind }) => over && afterEnd.push(kind), abort.signal);
      for (let turn = roll(12); turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      abort.abort();
      const result = await running;
      over = true;
      return result;
    };
    const results: RunResult[] = [];
    const ticking = setInterval(() => bench.clock.advance(1_000), 1);
    for (let done = 0; done < CANCELS; done += 20) {
      results.push(...(await Promise.all(Array.from({ length: 20 }, cancelled))));
    }
    clearInterval(ticking);

    const known = ['ok', 'error', 'interrupted', 'sandbox_lost', 'rejected'];
    expect(results.map(({ status }) => status)).toEqual(results.map(() => expect.toBeOneOf(known)));
    expect(results.filter(({ status }) => status === 'interrupted').length).toBeGreaterThan(CANCELS / 4);
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(CANCELS);
    expect(afterEnd).toEqual([]);
    // Requests that were cancelled do not block later ones.
    for (const sessionId of sessions) await bench.engine.restartSession(sessionId);
    const last = [{}, ...sessions.map((sessionId) => ({ sessionId }))].map((where) => bench.run('print last', where));
    expect((await Promise.all(last)).map(({ stdout }) => stdout)).toEqual(last.map(() => 'last\n'));
    await until(() => bench.states.filter((state) => state === 'idle').length === 4);
    expect(bench.engine.snapshot().running).toBe(0);
    const inUse = bench.engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes.map(({ id }) => id));
    expect([...bench.host.containers.keys()].sort()).toEqual(inUse.sort());
  });
});
