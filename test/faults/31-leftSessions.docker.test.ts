import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../src/engine/types.ts';
import { LABEL } from '../../src/host/labels.ts';
import { labelled, labelledVolumes, removeCompletely } from './engineApi.ts';
import { faultBench, pause } from './harness.ts';
import { LEFT_OPTIONS, type LeftLine } from './leftSessions.ts';

const PROGRAM = fileURLToPath(new URL('./leftSessions.ts', import.meta.url));
/** Cells that run when the first engine is killed, and those that it has answered by then. */
const RUNNING = 50;
const BEFORE = 6;
const SESSIONS = RUNNING + BEFORE;
/** Between the end of one cell and that of the next. */
const BETWEEN_MS = 250;

const machine = `left-${randomBytes(6).toString('hex')}`;
afterAll(async () => {
  const left = await labelled(LABEL.machine, machine);
  await Promise.all(left.map(removeCompletely));
});

describe('when the process of an engine is killed', () => {
  it(`row 31: in the middle of ${RUNNING} cells, the next engine returns every answer that it has not, and none twice`, async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, machine, String(SESSIONS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const records = new Map<string, SessionRecord>();
    const answers: { runId: string; status: string; stdout: string }[] = [];
    for await (const text of createInterface({ input: child.stdout })) {
      const line: LeftLine = JSON.parse(text);
      if ('record' in line) records.set(line.record.sessionId, line.record);
      if ('answer' in line && answers.push(line.answer) === BEFORE) {
        await pause(BETWEEN_MS);
        child.kill('SIGKILL');
      }
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(records.size).toBe(SESSIONS);
    expect(answers.length).toBe(BEFORE);
    const left = await labelled(LABEL.machine, machine);

    const bench = await faultBench(LEFT_OPTIONS, '', machine, { save: async () => {}, remove: async () => {} });
    for (const record of records.values()) {
      const resumed = await bench.engine.resumeSession(record);
      if (!resumed.ok) throw new Error(resumed.error.message);
      void resumed.value.result?.then(({ runId, status, stdout }) => answers.push({ runId, status, stdout }));
    }
    await expect.poll(() => answers.length, { timeout: 60_000 }).toBe(SESSIONS);
    await pause(1_000);
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(SESSIONS);
    expect(answers.map(({ status }) => status)).toEqual(Array(SESSIONS).fill('ok'));
    // Each with all that its cell printed, before and after the change of engines.
    const numbers = answers.map(({ stdout }) => Number(/^go\n(\d+)\n$/.exec(stdout)?.[1])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: SESSIONS }, (_, number) => number));
    const [last] = [...records.values()].slice(-1);
    expect(await bench.run('print(x)', { sessionId: last?.sessionId ?? '' })).toMatchObject({
      stdout: `${SESSIONS - 1}\n`,
    });

    await bench.engine.dispose();
    expect(left.length).toBeGreaterThanOrEqual(SESSIONS);
    expect((await labelled(LABEL.machine, machine)).filter((id) => sandboxes(records).has(id))).toEqual([]);
    // Those of the first engine's warm sandboxes, which notice their silence within 30 s.
    await expect.poll(() => labelledVolumes(LABEL.machine, machine), { timeout: 45_000 }).toEqual([]);
  }, 400_000);
});

function sandboxes(records: ReadonlyMap<string, SessionRecord>): ReadonlySet<string> {
  return new Set([...records.values()].map(({ sandboxId }) => sandboxId));
}
