import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask, logFile, logged, tail } from './commands.mjs';
import { conformanceVariables } from './conformance.mjs';
import { out, programEnv, root } from './paths.mjs';

const bin = (name) => join(root, 'node_modules', name);

/** How many checks passed and failed. */
export class Tally {
  passed = 0;
  failed = 0;

  /** Adds the result of a part and prints it in one line. */
  add(title, { passed, failed, skipped = 0 }, seconds, details = '') {
    this.passed += passed;
    this.failed += failed;
    const left = skipped > 0 ? `, ${skipped} skipped` : '';
    const counts = `${passed} passed, ${failed} failed${left}`;
    console.log(`${failed > 0 ? 'FAIL' : '  ok'}  ${title}: ${counts} (${seconds.toFixed(0)} s)${details}`);
  }
}

/** Runs a part of the suite and counts it; an exception counts as one failure and does not stop later parts. */
export async function part(tally, title, work) {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  try {
    const { details, ...counts } = (await work()) ?? { passed: 1, failed: 0 };
    tally.add(title, counts, seconds(), details && `\n${details}`);
  } catch (error) {
    tally.add(title, { passed: 0, failed: 1 }, seconds(), `\n    ${error.message}`);
  }
}

/** A command that passes or fails as a whole. */
export async function check(name, script, args) {
  const status = await logged(name, process.execPath, [bin(script), ...args]);
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, details: shown(name) };
}

/**
 * Runs a vitest project, or some `files` of it, and counts its tests; `env` is added to ours. `before` is a command that runs
 * another as another user, who may write to `folder` and sees paths `at` other places.
 */
export async function vitest(project, env = {}, { before = [], folder = out, at = (path) => path, files = [] } = {}) {
  const report = join(folder, `${project}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // Vite would write its configuration, bundled, into the checkout.
  const elsewhere = before.length > 0 ? ['--configLoader=runner', '--cache=false'] : [];
  const script = at(bin('vitest/vitest.mjs'));
  const [program, ...args] = [
    ...before,
    process.execPath,
    script,
    'run',
    '--project',
    project,
    ...reporters,
    ...elsewhere,
    ...files,
  ];
  const log = files.length > 0 ? `${project}-local` : project;
  const status = await logged(log, program, args, { env: { ...programEnv(), ...env } });
  const counts = existsSync(report) ? vitestCounts(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
  // A failure outside of the tests counts too.
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, ...(counts.failed > 0 ? { details: shown(log, 60) } : {}) };
}

/** The number of tests in a vitest project, without running them. */
export async function countTests(project) {
  const list = await ask(process.execPath, [bin('vitest/vitest.mjs'), 'list', '--project', project, '--json']);
  return list === null ? 0 : JSON.parse(list).length;
}

/** The counts of a vitest JSON report; a file that cannot be loaded is one failure. */
export function vitestCounts({ numPassedTests, numFailedTests, numPendingTests, testResults }) {
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length, skipped: numPendingTests };
}

/** The tests in a real VS Code, which print their counts in the last line. */
export function editorTests(env) {
  return countedTests('editor-tests', ['test/e2e/run.mjs'], env);
}

/** The official MCP conformance suite for both eras, which prints its counts in the last line. */
export async function conformanceTests() {
  return countedTests('conformance', ['--import', 'tsx', 'test/conformance/main.ts'], await conformanceVariables());
}

/** The unit tests of the agent in the sandboxes, which need only Python. */
export async function agentTests() {
  const status = await logged('agent', 'python3', ['-B', '-m', 'unittest', 'discover', '-s', 'test/agent']);
  return countsOrFailure('agent', status, unittestCounts);
}

async function countedTests(name, args, env) {
  const status = await logged(name, process.execPath, args, { env: { ...process.env, ...env } });
  return countsOrFailure(name, status, lastCounts);
}

/** The counts in a log, with the end of the log when there are failures. */
function countsOrFailure(name, status, read) {
  const counts = read(readFileSync(logFile(name), 'utf8'));
  // A program that failed without a failed test is a failure too.
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, ...(counts.failed > 0 ? { details: shown(name, 60) } : {}) };
}

/** The counts of a run of Python's unittest; zeros when it ended early. */
export function unittestCounts(text) {
  const [, ran, result = ''] = [...text.matchAll(/^Ran (\d+) tests? in .*\n\n(?:OK|FAILED)(.*)$/gm)].at(-1) ?? [];
  if (ran === undefined) return { passed: 0, failed: 0, skipped: 0 };
  const count = (name) => Number(new RegExp(`\\b${name}=(\\d+)`).exec(result)?.[1] ?? 0);
  const failed = count('failures') + count('errors') + count('unexpected successes');
  const skipped = count('skipped');
  return { passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped };
}

/** The numbers of the last line `N passed, N failed` of a text, or zeros. */
export function lastCounts(text) {
  const [, passed = 0, failed = 0] = [...text.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}

function shown(name, lines = 30) {
  return `${tail(name, lines)}\n    (full log: ${logFile(name)})`;
}
