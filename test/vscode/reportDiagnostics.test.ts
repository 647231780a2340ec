import { expect, it } from 'vitest';
import { reportDiagnostics } from '../../src/vscode/notebook/language/reportDiagnostics.ts';
import { message, report } from './reports.ts';

function rangesOf(code: string, over: Parameters<typeof message>[0]) {
  return reportDiagnostics(report({ messages: [message(over)] }), code).map(({ start, end }) => [start, end]);
}

it('counts lines from 0 and columns in UTF-16 units', () => {
  expect(rangesOf('def 𝔸 := 1\n#eval 𝔸𝔸 x', { line: 2, column: 6, endLine: 2, endColumn: 10 })).toEqual([
    [
      { line: 1, character: 6 },
      { line: 1, character: 12 },
    ],
  ]);
});

it('splits lines at every line ending', () => {
  expect(rangesOf('a\r\n𝔸 b', { line: 2, column: 2, endLine: 2, endColumn: 3 })).toEqual([
    [
      { line: 1, character: 3 },
      { line: 1, character: 4 },
    ],
  ]);
});

it('limits positions to the end of the line and of the code', () => {
  expect(rangesOf('ab', { line: 1, column: 1, endLine: 2, endColumn: 5 })).toEqual([
    [
      { line: 0, character: 1 },
      { line: 1, character: 0 },
    ],
  ]);
});

it('limits positions to the first line and column', () => {
  const [range] = rangesOf('ab', { line: 0, column: -1, endLine: -5, endColumn: -5 });
  expect(range).toEqual([
    { line: 0, character: 0 },
    { line: 0, character: 0 },
  ]);
});

it('keeps severity and text, without trailing line breaks', () => {
  const messages = [message({ severity: 'warning', text: 'unused variable\n' })];
  expect(reportDiagnostics(report({ messages }), 'x')).toMatchObject([
    { severity: 'warning', text: 'unused variable' },
  ]);
});
