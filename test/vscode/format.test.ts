import { expect, it } from 'vitest';
import { ageWords, counted, importsWords, memoryWords, oneLine } from '../../src/vscode/format.ts';

it('says a time span in its largest unit', () => {
  expect([-5, 0, 59_999, 60_000, 3_600_000, 86_400_000].map(ageWords)).toEqual([
    '<1 min',
    '<1 min',
    '<1 min',
    '1 min',
    '1 h',
    '1 d',
  ]);
});

it('says memory in MB, and nothing when it is unknown', () => {
  expect([memoryWords(119_537_664), memoryWords(null)]).toEqual(['114 MB', undefined]);
});

it('counts', () => {
  expect([counted(1, 'run'), counted(0, 'run'), counted(2, 'sandbox', 'sandboxes')]).toEqual([
    '1 run',
    '0 runs',
    '2 sandboxes',
  ]);
});

it('says imports in one line, long ones cut, and nothing for no header', () => {
  expect(importsWords('import Lean\nimport Std\n')).toBe('imports Lean, Std');
  expect(importsWords(`import ${'A'.repeat(60)}`)).toBe(`imports ${'A'.repeat(39)}…`);
  expect([importsWords(''), importsWords('\n')]).toEqual([undefined, undefined]);
  expect(oneLine('import Lean\n\nimport \x1b[2JStd\n')).toBe('import Lean import Std');
});
