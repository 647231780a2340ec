import { describe, expect, it } from 'vitest';
import { MAX_TEXT } from '../../src/mcp/displays.ts';
import { RunAnswer, runAnswer } from '../../src/mcp/runAnswer.ts';
import { textOf } from './connect.ts';
import { runResult } from './stubEngine.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('a run as an answer', () => {
  it('is an error exactly when it is not ok', () => {
    for (const status of RunAnswer.shape.status.options) {
      expect(runAnswer(runResult({ status })).isError).toBe(status !== 'ok');
    }
  });

  it('reads well', () => {
    const answer = runAnswer(
      runResult({
        status: 'error',
        exitCode: 1,
        stdout: 'hello\n',
        stderr: 'careful\n',
        result: { 'text/plain': '42' },
        error: { name: 'ValueError', message: 'bad', traceback: 'Traceback\nValueError: bad\n' },
        state: { a: 1 },
        sessionId: 's1',
        truncated: true,
      }),
    );
    expect(textOf(answer)).toBe(
      [
        'hello',
        '[stderr]',
        'careful',
        '[result]',
        '42',
        '[error]',
        'Traceback',
        'ValueError: bad',
        '[state]',
        '{"a":1}',
        '[error, exit code 1, 1.3 ms, output was truncated, session s1, run r1]',
      ].join('\n'),
    );
  });

  it('carries pictures as images, and everything else structured', () => {
    const figure = { data: { 'image/png': PNG, 'text/plain': '<Figure>' }, id: null };
    const answer = runAnswer(runResult({ displays: [figure], result: { 'text/plain': 'T', 'text/html': '<b>T</b>' } }));
    expect(answer.content.slice(1)).toEqual([{ type: 'image', mimeType: 'image/png', data: PNG }]);
    const { result, displays } = RunAnswer.parse(answer.structuredContent);
    expect(result).toBe('T');
    expect(displays).toEqual([
      {
        mime_types: ['image/png', 'text/plain'],
        texts: { 'text/plain': '<Figure>' },
        image_index: 0,
        is_result: false,
        truncated: false,
      },
      {
        mime_types: ['text/plain', 'text/html'],
        texts: { 'text/plain': 'T', 'text/html': '<b>T</b>' },
        image_index: null,
        is_result: true,
        truncated: false,
      },
    ]);
    expect(JSON.stringify(answer.structuredContent)).not.toContain(PNG);
  });

  it('passes on no picture that is none, and says so', () => {
    const fakes = ['no base64 !', Buffer.from('<script>').toString('base64'), 7, ''];
    const displays = fakes.map((content) => ({ data: { 'image/png': content }, id: null }));
    const answer = runAnswer(runResult({ displays }));
    expect(answer.content).toHaveLength(1);
    const shown = RunAnswer.parse(answer.structuredContent).displays;
    expect(shown.map(({ image_index, truncated }) => [image_index, truncated])).toEqual(fakes.map(() => [null, true]));
  });

  it('cuts long texts and says so', () => {
    const html = 'x'.repeat(MAX_TEXT + 5);
    const answer = runAnswer(
      runResult({ displays: [{ data: { 'text/html': html }, id: null }], result: { 'text/plain': html } }),
    );
    const { displays, result, truncated } = RunAnswer.parse(answer.structuredContent);
    expect(displays[0]).toMatchObject({
      truncated: true,
      texts: { 'text/html': expect.stringMatching(/x\n\[5 more characters\]$/) },
    });
    expect(result).toHaveLength(MAX_TEXT + '\n[5 more characters]'.length);
    expect(truncated).toBe(true);
  });
});
