import { describe, expect, it } from 'vitest';
import { WaitingList } from '../../src/base/waitingList.ts';

describe('WaitingList', () => {
  it('answers waiters in the order of arrival', async () => {
    const list = new WaitingList<object, string>('aborted');
    const [one, other] = [{}, {}];
    const answers = [list.add(one), list.add(other)];
    expect([list.first, list.size]).toEqual([one, 2]);
    list.answer(one, 'first');
    expect([list.has(one), list.all()]).toEqual([false, [other]]);
    list.answerAll('rest');
    expect(await Promise.all(answers)).toEqual(['first', 'rest']);
    expect(list.size).toBe(0);
  });

  it('answers a waiter whose signal aborts at once, and only that one', async () => {
    const seen: number[] = [];
    const list: WaitingList<object, string> = new WaitingList('aborted', () => seen.push(list.size));
    const abort = new AbortController();
    const answers = [list.add({}, abort.signal), list.add({}, new AbortController().signal)];
    abort.abort();
    expect(seen).toEqual([1]);
    list.answerAll('answered');
    expect(await Promise.all(answers)).toEqual(['aborted', 'answered']);
  });

  it('ignores a signal that aborts after the waiter was taken', async () => {
    const list = new WaitingList<object, string>('aborted');
    const abort = new AbortController();
    const waiter = {};
    const answer = list.add(waiter, abort.signal);
    const resolve = list.take(waiter);
    abort.abort();
    resolve?.(Promise.resolve('late'));
    expect(await answer).toBe('late');
  });
});
