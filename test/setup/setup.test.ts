import { afterEach, expect, test, vi } from 'vitest';

// Set-up runs before TypeScript is installed, so it has no types to import.
const load = (name: string) => import(new URL(`../../src/setup/${name}`, import.meta.url).href);
const { cacheFolder } = await load('paths.mjs');
const { machineMirror } = await load('baseImage.mjs');
const { lastCounts, part, Tally, vitestCounts } = await load('suite.mjs');
const { SetupProblem } = await load('problem.mjs');

afterEach(() => vi.restoreAllMocks());

test('the cache is where the user says, then where the desktop says', () => {
  expect(cacheFolder({ HOTHOUSE_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
  expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/hothouse');
  expect(cacheFolder({})).toMatch(/\/\.cache\/hothouse$/);
});

test.each([
  ['deb [arch=amd64] https://mirror.example/debian/ bookworm main', 'https://mirror.example/debian/'],
  ['Types: deb\nURIs: http://mirror.example/pub/debian\nSuites: trixie', 'http://mirror.example/pub/debian'],
  ['deb https://packages.example/node nodistro main', null],
  ['# deb http://old.example/debian trixie main\ndeb-src http://src.example/debian trixie main', null],
  ['URIs: http://mirror.example/debian-security', null],
])('the base image is made from the mirror in %j', (sources, mirror) => {
  expect(machineMirror(sources)).toBe(mirror);
});

test('a test file that could not be loaded is a failure', () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
  ];
  const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, testResults };
  expect(vitestCounts(report)).toEqual({ passed: 1, failed: 2, skipped: 2 });
});

test('the last count of a log is the one that holds', () => {
  expect(lastCounts('1 passed, 0 failed\nok x\n12 passed, 3 failed\n')).toEqual({ passed: 12, failed: 3 });
  expect(lastCounts('it ended early')).toEqual({ passed: 0, failed: 0 });
});

test('a part that fails is counted once and does not hide the next', async () => {
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

test('a problem says its cause, and the command that mends it', () => {
  expect(new SetupProblem('No engine answers.', 'sudo service docker start').message).toBe(
    'No engine answers. Mend it with: sudo service docker start',
  );
  expect(new SetupProblem('No engine answers.').message).toBe('No engine answers.');
});
