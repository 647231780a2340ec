import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import { type Isolated, isolationEngine, OWNER } from '../isolation/harness.ts';

/**
 * Objects whose attributes take long to list: one that a KeyboardInterrupt ends, and one that ignores it for a while.
 */
const SLOW = `
import time
class Slow:
    def __dir__(self):
        time.sleep(3000)
        return []
class Late:
    def __dir__(self):
        time.sleep(0.3)
        return []
class Deaf:
    def __dir__(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try: time.sleep(1)
            except BaseException: pass
        return []
slow, late, deaf, kept = Slow(), Late(), Deaf(), 7`;

let isolated: Isolated;
let sessionId: string;
beforeAll(async () => {
  isolated = await isolationEngine();
});
afterAll(() => isolated.dispose());
beforeEach(async () => {
  for (const { id } of isolated.engine.snapshot().sessions) await isolated.engine.closeSession(id);
  const opened = await isolated.engine.openSession('python', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  sessionId = opened.value.id;
  expect(await cell(SLOW)).toMatchObject({ status: 'ok' });
});

function cell(code: string): Promise<RunResult> {
  return isolated.engine.run({ language: 'python', owner: OWNER, code, sessionId });
}

function complete(code: string, signal?: AbortSignal) {
  return isolated.engine.complete(sessionId, code, code.length, signal);
}

/** Asks until the completions of `code` contain `match`, as an editor does while a user types. */
async function answered(code: string, match: string): Promise<void> {
  await expect
    .poll(async () => (await complete(code)) as object, { timeout: 60_000, interval: 100 })
    .toMatchObject({ value: { matches: expect.arrayContaining([match]) } });
}

const NOTHING = (code: string) => ({ ok: true, value: { start: code.length, end: code.length, matches: [] } });

describe('a question to a session', () => {
  it('that takes long gets no answer, and the session keeps all variables', async () => {
    expect(await complete('slow.')).toEqual(NOTHING('slow.'));
    // Longer than the steps after which a cell would be killed.
    await pause(7_000);
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it('is cancelled by a cell', async () => {
    expect(await complete('slow.')).toEqual(NOTHING('slow.'));
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it('may be cancelled repeatedly, as when a user continues to type', async () => {
    for (let typed = 0; typed < 20; typed += 1) {
      expect(await complete('slow.', AbortSignal.timeout(50))).toEqual(NOTHING('slow.'));
    }
    await pause(5_000);
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it('waits for the one before, which a user who types on has given up', async () => {
    await answered('kept.', 'bit_length');
    expect(await complete('late.', AbortSignal.timeout(50))).toEqual(NOTHING('late.'));
    const [first, second] = [complete('kept.'), complete('kept.')];
    // The latest one is what the user wants to know.
    expect(await first).toEqual(NOTHING('kept.'));
    expect(await second).toMatchObject({ value: { matches: expect.arrayContaining(['bit_length']) } });
  });

  it('gives way to a cell that comes at once', async () => {
    const [asked, ran] = [complete('slow.'), cell('kept')];
    expect(await ran).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
    expect(await asked).toEqual(NOTHING('slow.'));
  });

  it('that ignores interrupts blocks the next cell with the reason, and keeps the variables', async () => {
    // The first completion loads the completer; an interrupt meanwhile would end the question before the object's code
    // runs.
    await answered('kept.', 'bit_length');
    expect(await complete('deaf.')).toEqual(NOTHING('deaf.'));
    expect(await cell('kept')).toMatchObject({
      status: 'rejected',
      sessionLost: false,
      error: { message: expect.stringMatching(/completion.*Wait.*restart/s) },
    });
    await pause(15_000);
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it.each([
    ['with names of 20 MB', 'class A: pass\nx = A()\nfor n in range(3): setattr(x, "a%d" % n + "b" * (20 << 20), n)'],
    [
      'with 100 MB of them',
      'class A:\n    def __dir__(self): return ["a%d" % n + "x" * 200_000 for n in range(500)]\nx = A()',
    ],
  ])('is answered without oversized names: %s', async (_, setup) => {
    expect(await cell(setup)).toMatchObject({ status: 'ok' });
    const answer = await complete('x.');
    if (!answer.ok) throw new Error(answer.error.message);
    expect(Math.max(0, ...answer.value.matches.map((match) => match.length))).toBeLessThanOrEqual(1_000);
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it('with too much code gets no answer, and the session continues', async () => {
    const code = `${'x'.repeat(17_000_000)}.`;
    expect(await isolated.engine.complete(sessionId, code, 5)).toMatchObject({ ok: true, value: { matches: [] } });
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });

  it('is answered on a data frame, however long the first answer takes', async () => {
    expect(await cell('import pandas as pd\ndf = pd.DataFrame({"a": [1]})')).toMatchObject({ status: 'ok' });
    await answered('df.', 'describe');
    expect(await cell('kept')).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
  });
});
