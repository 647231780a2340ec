import { describe, expect, it } from 'vitest';
import { InputQuestions } from '../../../src/languages/interpreter/inputQuestions.ts';
import type { InputPrompt } from '../../../src/languages/language.ts';

/** A caller whose answers the test gives. */
function setUp() {
  const asked: { readonly prompt: InputPrompt; readonly signal: AbortSignal; answer(text: string | null): void }[] = [];
  const answers: (readonly [number, string | null])[] = [];
  const questions = new InputQuestions(
    (prompt, signal) => new Promise((resolve) => asked.push({ prompt, signal, answer: resolve })),
    (key, text) => answers.push([key, text]),
  );
  return { asked, answers, questions };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('InputQuestions', () => {
  it('passes a question on and its answer back', async () => {
    const { asked, answers, questions } = setUp();
    questions.ask({ key: 1, text: 'Name? ', isSecret: true });
    expect(asked[0]?.prompt).toEqual({ text: 'Name? ', isSecret: true });
    asked[0]?.answer('Ada');
    await settled();
    expect(answers).toEqual([[1, 'Ada']]);
  });

  it('withdraws an open question when the code asks another, and drops its answer', async () => {
    const { asked, answers, questions } = setUp();
    for (const key of [1, 2, 3]) questions.ask({ key, text: String(key), isSecret: false });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
    await settled();
    expect(asked.map(({ prompt }) => prompt.text)).toEqual(['1', '3']);
    asked[1]?.answer(null);
    await settled();
    expect(answers).toEqual([[3, null]]);
  });

  it('withdraws the open question at the end of the run and asks no more', async () => {
    const { asked, answers, questions } = setUp();
    questions.ask({ key: 1, text: '', isSecret: false });
    questions.end();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
    questions.ask({ key: 2, text: '', isSecret: false });
    await settled();
    expect(asked).toHaveLength(1);
    expect(answers).toEqual([]);
  });

  it('counts a failed question as the end of input', async () => {
    const answers: (string | null)[] = [];
    const questions = new InputQuestions(
      () => Promise.reject(new Error('no editor')),
      (_, text) => answers.push(text),
    );
    questions.ask({ key: 1, text: '', isSecret: false });
    await settled();
    expect(answers).toEqual([null]);
  });
});
