import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';

// Setup runs before TypeScript is installed, so it has no types to import.
const load = (name: string) => import(new URL(`../../src/setup/${name}`, import.meta.url).href);
const { withoutPictures } = await load('bundle.mjs');
const { cacheFolder } = await load('paths.mjs');
const { lastCounts, part, Tally, unittestCounts, vitestCounts } = await load('suite.mjs');
const { SetupProblem } = await load('steps.mjs');

afterEach(() => vi.restoreAllMocks());

test('the cache folder is HOTHOUSE_CACHE_DIR, then a folder in XDG_CACHE_HOME', () => {
  expect(cacheFolder({ HOTHOUSE_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
  expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/hothouse');
  expect(cacheFolder({})).toMatch(/\/\.cache\/hothouse$/);
});

test('a test file that cannot be loaded counts as a failure', () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
  ];
  const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, testResults };
  expect(vitestCounts(report)).toEqual({ passed: 1, failed: 2, skipped: 2 });
});

test('the counts of a log are those of its last line', () => {
  expect(lastCounts('1 passed, 0 failed\nok x\n12 passed, 3 failed\n')).toEqual({ passed: 12, failed: 3 });
  expect(lastCounts('it ended early')).toEqual({ passed: 0, failed: 0 });
});

test.each([
  ['Ran 3 tests in 0.1s\n\nOK\n', { passed: 3, failed: 0, skipped: 0 }],
  ['Ran 1 test in 0.1s\n\nOK (skipped=1)\n', { passed: 0, failed: 0, skipped: 1 }],
  ['Ran 9 tests in 2.5s\n\nFAILED (failures=1, errors=2, skipped=3)\n', { passed: 3, failed: 3, skipped: 3 }],
  ['Traceback (most recent call last):\n', { passed: 0, failed: 0, skipped: 0 }],
])('the result of unittest %j is counted', (text, counts) => {
  expect(unittestCounts(text)).toEqual(counts);
});

test('a part that fails counts once and does not stop the next', async () => {
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {});
  const tally = new Tally();
  await part(tally, 'First', () => Promise.reject(new Error('broken')));
  await part(tally, 'Second', async () => ({ passed: 3, failed: 1, skipped: 1 }));
  await part(tally, 'Third', async () => {});
  expect({ ...tally }).toEqual({ passed: 4, failed: 2 });
  expect(lines.mock.calls.map(([line]) => line)).toEqual([
    'FAIL  First: 0 passed, 1 failed (0 s)\n    broken',
    'FAIL  Second: 3 passed, 1 failed, 1 skipped (0 s)',
    '  ok  Third: 1 passed, 0 failed (0 s)',
  ]);
});

test('a setup problem has its cause and the command that fixes it', () => {
  expect(new SetupProblem('No engine answers.', 'sudo service docker start').message).toBe(
    'No engine answers. Fix it with: sudo service docker start',
  );
  expect(new SetupProblem('No engine answers.').message).toBe('No engine answers.');
});

test('a README without pictures keeps every other paragraph', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const packed = withoutPictures(readme);
  expect(readme).toMatch(/!\[/);
  expect(packed).not.toMatch(/!\[|\.png/);
  const lost = readme.split('\n').filter((line) => !packed.includes(line));
  expect(lost.filter((line) => !/!\[|^\|[ -|]*$/.test(line))).toEqual([]);
});
