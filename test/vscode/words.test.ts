import { expect, it } from 'vitest';
import { ageWords, counted, memoryWords } from '../../src/vscode/pool/words.ts';

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
