import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import { type Isolated, isolationEngine, OWNER, run } from './harness.ts';

/** Programs that want a CPU, for each CPU. */
const CROWD = 20;
const BUSY_MS = 45_000;
const TIMEOUT_MS = 600_000;

const crowd: ChildProcess[] = [];
const engines: Isolated[] = [];
afterEach(async () => {
  for (const child of crowd.splice(0)) child.kill('SIGKILL');
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
});

/** They end by themselves if the test does not end them. */
function fillMachine(): void {
  const endless = `end = Date.now() + ${BUSY_MS * 4}; while (Date.now() < end);`;
  for (let count = 0; count < CROWD * availableParallelism(); count += 1) {
    crowd.push(spawn(process.execPath, ['-e', `let ${endless}`], { stdio: 'ignore' }));
  }
}

/** An engine from its start to its end: its first run, two sessions, then runs without a pause. */
async function life(until: number): Promise<{ results: RunResult[]; kept: RunResult[] }> {
  const isolated = await isolationEngine({
    python: { preload: ['numpy'] },
    pool: { size: 2 },
    // Only losses count, not the time.
    limits: { timeoutSeconds: TIMEOUT_MS / 1000 },
  });
  engines.push(isolated);
  const results = [await run(isolated, 'print(1)')];
  const sessions = await Promise.all([1, 2].map(() => isolated.engine.openSession('python', OWNER)));
  const cell = (code: string) =>
    Promise.all(
      sessions.map((session) => {
        if (!session.ok) throw new Error(session.error.message);
        return isolated.engine.run({ language: 'python', owner: OWNER, code, sessionId: session.value.id });
      }),
    );
  results.push(...(await cell('x = 7')));
  // Beside its own processes an agent gets less than a hundredth of what its sandbox gets.
  const crowded = cell(
    'import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(0.1)\n        end = time.time() + 15\n        while time.time() < end: pass\n        os._exit(0)\nfor _ in range(100): os.wait()',
  );
  while (performance.now() < until) results.push(await run(isolated, 'import numpy\nprint(numpy.arange(3).sum())'));
  results.push(...(await crowded));
  const kept = await cell('x');
  return { results: [...results, ...kept], kept };
}

describe('row 51: a machine with twenty programs for each CPU', () => {
  it(
    'is slow, and loses neither runs nor sessions nor starting engines',
    async () => {
      fillMachine();
      const until = performance.now() + BUSY_MS;
      const lives = await Promise.all([life(until), life(until)]);
      const results = lives.flatMap((one) => one.results);
      expect(
        results.filter(({ status }) => status !== 'ok').map(({ status, error }) => [status, error?.message]),
      ).toEqual([]);
      for (const { result } of lives.flatMap(({ kept }) => kept)) expect(result).toEqual({ 'text/plain': '7' });
      expect(results.length).toBeGreaterThan(14);
    },
    TIMEOUT_MS + BUSY_MS,
  );
});
