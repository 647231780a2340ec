import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { CellOutput, Interpreter } from '../../../../src/languages/language.ts';
import { OneShotCheck } from '../../../../src/languages/lean/oneShot/oneShotCheck.ts';
import { openLeanSession } from '../../../../src/languages/lean/session/leanSession.ts';
import { LeanWorker } from '../../../../src/languages/lean/worker/worker.ts';
import { LATE_MS, latenessOf } from '../../../isolation/lateness.ts';
import { floodingSandbox } from './sandbox.ts';

const SETTINGS = { allowedImports: [], blockedImports: [], reuse: 'worker', workerMemoryBytes: 1e9 } as const;
const LIMIT = 1024 * 1024;
/** Code that blocks does so each time; a busy machine, where garbage collection waits for a CPU, does not. */
const MEASURED = { retry: 2 };

async function check(flood: string): Promise<Interpreter> {
  const sandbox = sandboxOf(flood);
  const worker = await LeanWorker.start(sandbox, '');
  await worker.warmUp();
  const nothing = () => {};
  return new OneShotCheck({
    ...{ sandbox, worker: async () => worker, settings: SETTINGS, clock: systemClock },
    ...{ onHeader: nothing, onFree: nothing },
  });
}

async function session(flood: string): Promise<Interpreter> {
  const opened = openLeanSession(sandboxOf(flood), null, SETTINGS);
  onTestFinished(() => opened.kill());
  await opened.run({ code: 'def a := 1', name: '<first>', stdin: '', state: null }, () => {});
  return opened;
}

function sandboxOf(flood: string) {
  const sandbox = floodingSandbox(flood);
  onTestFinished(() => sandbox.dispose());
  return sandbox;
}

describe.each([
  ['a check', check],
  ['a cell', session],
])('%s with a flood of messages from Lean', MEASURED, (_, open) => {
  it.each([
    ['largePrints', 'ok', null],
    ['smallPrints', 'ok', null],
    ['printsAtOnce', 'ok', null],
    ['errorsAtOnce', 'error', 'LeanError'],
    ['theSame', 'ok', null],
    ['longText', 'ok', null],
    ['tooLongText', 'error', 'TooMuchOutput'],
    ['tooMuch', 'error', 'TooMuchOutput'],
    ['tooManySmall', 'error', 'TooMuchOutput'],
    ['tooManyPrints', 'error', 'TooMuchOutput'],
    ['tooManyErrors', 'error', 'TooMuchOutput'],
  ])('delays nothing else: %s', async (flood, status, error) => {
    const interpreter = await open(flood);
    let shown = 0;
    const onOutput = (output: CellOutput) => {
      if (output.kind === 'stdout') shown += output.text.length;
    };
    const { result, lateMs } = await latenessOf(() =>
      interpreter.run({ code: '#flood', name: '<cell>', stdin: '', state: null, outputLimit: LIMIT }, onOutput),
    );
    expect({ status: result.status, error: result.error?.name ?? null }).toEqual({ status, error });
    expect(JSON.stringify(result.report ?? {}).length).toBeLessThan(4 * LIMIT);
    if (status === 'ok') expect(result.stdoutBytes).toBeGreaterThanOrEqual(shown);
    expect(lateMs).toBeLessThan(LATE_MS);
  });
});

it('delays nothing else: many completions', MEASURED, async () => {
  const interpreter = await session('theSame');
  const { result, lateMs } = await latenessOf(() => interpreter.complete('#check na', 9));
  expect(result.matches).toHaveLength(2_000);
  expect(lateMs).toBeLessThan(LATE_MS);
});
