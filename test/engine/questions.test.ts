import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Questions } from '../../src/engine/session/questions.ts';
import { ManualClock } from '../host/manualClock.ts';

it.each([
  [1, 2_000],
  [3, 6_000],
])('a caller waits for an answer on a machine with overload %i for %i ms', async (overload, ms) => {
  const clock = new ManualClock();
  clock.overload = overload;
  let answer: string | null = null;
  void new Questions(clock).inTime(new Promise<string>(() => {}), 'nothing').then((value) => {
    answer = value;
  });
  clock.advance(ms - 1);
  await turn();
  expect(answer).toBe(null);
  clock.advance(1);
  await turn();
  expect(answer).toBe('nothing');
});
