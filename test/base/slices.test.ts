import { describe, expect, it } from 'vitest';
import { type Steps, slices } from '../../src/base/slices.ts';
import { LATE_MS, latenessOf } from '../isolation/lateness.ts';

/** Work of that many steps of a millisecond each. */
function* busy(steps: number, order: string[] = [], name = ''): Steps<string> {
  for (let step = 0; step < steps; step += 1) {
    if (order.at(-1) !== name) order.push(name);
    for (const until = performance.now() + 1; performance.now() < until; );
    yield;
  }
  return name;
}

describe('work in slices', () => {
  it('completes synchronously when it is short', () => {
    const order: string[] = [];
    void slices.run(busy(1, order, 'a'));
    expect(order).toEqual(['a']);
  });

  it('does not block the event loop, however many jobs there are', async () => {
    const jobs = () => Promise.all(Array.from({ length: 8 }, (_, n) => slices.run(busy(60, [], `${n}`))));
    const { result, lateMs } = await latenessOf(jobs);
    expect(result).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(lateMs).toBeLessThan(LATE_MS);
  });

  it('interleaves', async () => {
    const order: string[] = [];
    await Promise.all(['a', 'b'].map((name) => slices.run(busy(40, order, name))));
    expect(order.length).toBeGreaterThan(3);
  });

  it('may start other work, which waits for the current step', async () => {
    function* outer(): Steps<Promise<string>> {
      const inner = slices.run(busy(0, [], 'inner'));
      yield;
      return inner;
    }
    expect(await slices.run(outer())).toBe('inner');
  });

  it('rejects with its error, and other work continues', async () => {
    function* broken(): Steps {
      yield;
      throw new Error('broken');
    }
    const [first, second] = await Promise.allSettled([slices.run(broken()), slices.run(busy(1, [], 'fine'))]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    expect(second).toEqual({ status: 'fulfilled', value: 'fine' });
  });
});
