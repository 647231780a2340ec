import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import { DisposableStack, toDisposable } from '../../src/base/disposable.ts';
import { Emitter } from '../../src/base/event.ts';

describe('Emitter', () => {
  it('calls listeners in order until they are disposed', () => {
    const emitter = new Emitter<number>();
    const received: string[] = [];
    const first = emitter.event((value) => received.push(`a${value}`));
    emitter.event((value) => received.push(`b${value}`));
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    emitter.dispose();
    emitter.fire(3);
    expect(received).toEqual(['a1', 'b1', 'b2']);
  });
});

describe('disposables', () => {
  it('run an action once', () => {
    let count = 0;
    const item = toDisposable(() => {
      count += 1;
    });
    item.dispose();
    item.dispose();
    expect(count).toBe(1);
  });

  it('are disposed together in reverse order, and at once when added after that', () => {
    const ended: number[] = [];
    const stack = new DisposableStack();
    for (const number of [1, 2]) stack.add({ dispose: () => ended.push(number) });
    stack.dispose();
    stack.add({ dispose: () => ended.push(3) });
    expect(ended).toEqual([2, 1, 3]);
  });
});

describe('deferred', () => {
  it('settles once', async () => {
    const end = deferred<number>();
    end.resolve(1);
    end.resolve(2);
    end.reject(new Error('late'));
    expect(await end.promise).toBe(1);
  });
});
