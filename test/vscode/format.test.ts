import { expect, it } from 'vitest';
import { formatImports } from '../../src/languages/lean/editor.ts';
import { formatAge, formatCount, formatMemory, formatProblem, inShortLines, oneLine } from '../../src/vscode/format.ts';

it('formats a duration in its largest unit', () => {
  expect([-5, 0, 59_999, 60_000, 3_600_000, 86_400_000].map(formatAge)).toEqual([
    '<1 min',
    '<1 min',
    '<1 min',
    '1 min',
    '1 h',
    '1 d',
  ]);
});

it('formats memory in MB, and nothing when it is unknown', () => {
  expect([formatMemory(119_537_664), formatMemory(null)]).toEqual(['114 MB', undefined]);
});

it('formats counts with singular and plural', () => {
  expect([formatCount(1, 'run'), formatCount(0, 'run'), formatCount(2, 'sandbox', 'sandboxes')]).toEqual([
    '1 run',
    '0 runs',
    '2 sandboxes',
  ]);
});

it('formats imports on one line, cuts long ones, and nothing for an empty header', () => {
  expect(formatImports('import Lean\nimport Std\n')).toBe('imports Lean, Std');
  expect(formatImports(`import ${'A'.repeat(60)}`)).toBe(`imports ${'A'.repeat(39)}…`);
  expect([formatImports(''), formatImports('\n')]).toEqual([undefined, undefined]);
  expect(oneLine('import Lean\n\nimport \x1b[2JStd\n')).toBe('import Lean import Std');
});

it('names options as settings, and build commands as those of VS Code', () => {
  const problem = { kind: 'session_limit', message: '16 sessions are open.', advice: 'Raise the option sessions.max.' };
  expect(formatProblem({ ...problem, kind: 'session_limit' })).toBe(
    '16 sessions are open. Raise the setting hothouse.sessions.max.',
  );
  const advice = 'Name an image in the option lean.image, or build ours with `hothouse build lean`.';
  expect(formatProblem({ kind: 'image_unusable', message: 'It has volumes.', advice })).toBe(
    'It has volumes. Name an image in the setting hothouse.lean.image, or build ours with “Hothouse: Build Lean Environment”.',
  );
});

it("replaces the command line's build command by the command of VS Code", () => {
  const missing = { kind: 'image_missing', message: 'There is no image.', advice: 'Pull it.' } as const;
  expect(formatProblem(missing)).toBe('There is no image. Pull it.');
  expect(formatProblem({ ...missing, command: 'hothouse build lean' })).toBe(
    'There is no image. Run the command “Hothouse: Build Lean Environment”.',
  );
});

it('breaks lines of more than 90 characters at a space, and no shorter ones and no words', () => {
  const words = (count: number) => Array(count).fill('word').join(' ');
  const path = '/'.repeat(100);
  const lines = inShortLines(`${words(20)}\nshort line\n${path}`).split('\n');
  expect(lines).toEqual([words(18), words(2), 'short line', path]);
});
