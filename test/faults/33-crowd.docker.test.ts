import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultBench, faultBench, OWNER, slowest, timed } from './harness.ts';

const CROWD = 1_000;
const MAX_WAITING = 1_000;

describe('row 33: a burst', () => {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = await faultBench({ pool: { size: 2, maxWaiting: MAX_WAITING, maxUses: 1_000_000 } });
    await bench.warm();
  });
  afterAll(() => bench.engine.dispose());

  const ask = (number: number, owner = OWNER) => timed(() => bench.run(`print(${number})`, { owner }));

  it('of a thousand requests at once gets a thousand results, each its own', async () => {
    const numbers = Array.from({ length: CROWD }, (_, number) => number);
    const answers = await Promise.all(numbers.map((number) => ask(number)));
    expect(answers.map(({ value }) => value.stdout)).toEqual(numbers.map((number) => `${number}\n`));
    expect(new Set(answers.map(({ value }) => value.runId)).size).toBe(CROWD);
  });

  it('of requests of several owners never mixes their results', async () => {
    const owners = ['a', 'b', 'c', 'd'].map((id) => ({ ...OWNER, id }));
    const answers = await Promise.all(
      owners.flatMap((owner, index) => [1, 2, 3, 4, 5].map((n) => ask(index * 10 + n, owner))),
    );
    const expected = owners.flatMap((_, index) => [1, 2, 3, 4, 5].map((n) => `${index * 10 + n}\n`));
    expect(answers.map(({ value }) => value.stdout)).toEqual(expected);
  });

  it('over the limit is rejected in part, and the rest is served', async () => {
    const blocked = [bench.begin('import time\ntime.sleep(1)'), bench.begin('import time\ntime.sleep(1)')];
    await Promise.all(blocked);
    const waiting = Array.from({ length: MAX_WAITING }, (_, number) => ask(number));
    const refused: Awaited<ReturnType<typeof ask>>[] = [];
    for (let number = 0; number < 50; number += 1) refused.push(await ask(MAX_WAITING + number));
    expect(refused.map(({ value }) => value.error?.name)).toEqual(refused.map(() => 'overloaded'));
    const answers = await Promise.all(waiting);
    expect(answers.map(({ value }) => value.stdout)).toEqual(answers.map((_, number) => `${number}\n`));
  });

  // Measures a machine that others use too.
  it('over the limit is rejected within 100 ms', { retry: 2 }, async () => {
    const full = Array.from({ length: MAX_WAITING + 2 }, (_, number) => ask(number));
    const refused: Awaited<ReturnType<typeof ask>>[] = [];
    for (let number = 0; number < 50; number += 1) refused.push(await ask(number));
    expect(refused.map(({ value }) => value.error?.name)).toEqual(refused.map(() => 'overloaded'));
    await Promise.all(full);
    expect(slowest(refused)).toBeLessThan(100);
  });
});
