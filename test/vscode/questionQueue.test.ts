import { expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import { QuestionQueue } from '../../src/vscode/notebook/notebookSession.ts';

const { signal } = new AbortController();

it('asks the second question after the first answer', async () => {
  const questions = new QuestionQueue();
  const first = deferred<string>();
  const asked: string[] = [];
  const answers = [
    questions.ask(() => {
      asked.push('first');
      return first.promise;
    }, signal),
    questions.ask(async () => {
      asked.push('second');
      return 'b';
    }, signal),
  ];
  await Promise.resolve();
  expect(asked).toEqual(['first']);
  first.resolve('a');
  expect(await Promise.all(answers)).toEqual(['a', 'b']);
});

it('does not ask a question that was aborted while it waited', async () => {
  const questions = new QuestionQueue();
  const first = deferred<string>();
  const impatient = new AbortController();
  void questions.ask(() => first.promise, signal);
  const answer = questions.ask(() => Promise.reject(new Error('asked')), impatient.signal);
  impatient.abort();
  first.resolve('a');
  expect(await answer).toBeUndefined();
});

it('asks the next question after one that failed', async () => {
  const questions = new QuestionQueue();
  await expect(questions.ask(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(await questions.ask(async () => 'b', signal)).toBe('b');
});
