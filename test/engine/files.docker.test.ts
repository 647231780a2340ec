import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangedFiles } from '../../src/engine/files/types.ts';
import { type Isolated, isolationEngine, OWNER, run, sandboxes } from '../isolation/harness.ts';

let isolated: Isolated;
beforeAll(async () => {
  isolated = await isolationEngine();
});
afterAll(() => isolated.dispose());

const names = (files: ChangedFiles | null) => files?.files.map(({ path }) => path);
const lines = (...code: string[]) => code.join('\n');

describe('a one-shot run', () => {
  it('reads its inputs, also modules, and returns its files before the reset', async () => {
    const contents: Record<string, string> = {};
    const inputs = [
      { path: 'data/sales.csv', content: 'month,total\n1,20\n' },
      { path: 'helpers.py', content: 'def double(x): return 2 * x\n' },
    ];
    const code = lines(
      'import helpers, os',
      'total = open("data/sales.csv").read().split(",")[-1]',
      'os.makedirs("out"); open("out/total.txt", "w").write(str(helpers.double(int(total))))',
      'open("data/sales.csv", "a").write("2,30\\n")',
    );
    const result = await run(isolated, code, {
      inputs,
      reportFiles: true,
      onFiles: async ({ files }, workspace) => {
        for (const { path } of files) {
          const opened = await workspace.get(path);
          if (opened.ok) contents[path] = Buffer.concat(await opened.value.content.toArray()).toString();
        }
      },
    });
    expect(result).toMatchObject({ status: 'ok', files: { count: 2, bytes: 24, skipped: 0 } });
    expect(result.files?.files).toMatchObject([
      { path: 'data/sales.csv', size: 22, mediaType: 'text/csv' },
      { path: 'out/total.txt', size: 2, mediaType: 'text/plain' },
    ]);
    expect(contents).toEqual({ 'data/sales.csv': 'month,total\n1,20\n2,30\n', 'out/total.txt': '40' });
  });

  it('leaves no file to the next run in its sandbox', async () => {
    await run(isolated, '1', { inputs: [{ path: 'a', content: 'x' }], reportFiles: true });
    const before = sandboxes(isolated);
    const result = await run(isolated, 'import os; print(os.listdir())', { reportFiles: true });
    expect([result.stdout, result.files?.count]).toEqual(['[]\n', 0]);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it.each([
    ['is stopped', 'open("a", "w").write("x"); import time; time.sleep(60)', 'timeout'],
    ['kills itself', 'open("a", "w").write("x"); import os; os.kill(os.getpid(), 9)', 'error'],
    ['says that it has changed nothing', 'open("a", "w").write("x"); import os; del os.scandir', 'ok'],
  ])('that %s reports its files', async (_, code, status) => {
    const result = await run(isolated, code, { reportFiles: true, timeoutSeconds: 3 });
    expect(result).toMatchObject({ status, files: { count: 1, files: [{ path: 'a', size: 1 }] } });
  });

  it('that creates many files names 200 of them and counts all', async () => {
    const result = await run(isolated, 'for i in range(1000): open(str(i), "w").write("x")', { reportFiles: true });
    expect(result.files).toMatchObject({ count: 1000, bytes: 1000 });
    expect(result.files?.files).toHaveLength(200);
  });
});

describe('a session', () => {
  it('reports the files that each cell has changed, also in place, and not those put between cells', async () => {
    const { engine } = isolated;
    const opened = await engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    const files = engine.files(sessionId);
    const cell = async (code: string) => names((await run(isolated, code, { sessionId, reportFiles: true })).files);
    expect(await cell('open("plot.svg", "w").write("<svg/>")')).toEqual(['plot.svg']);
    expect(await cell('1')).toEqual([]);
    expect(await cell('open("plot.svg", "r+").write("<SVG/>")')).toEqual(['plot.svg']);
    await files.put('data.csv', 'x');
    expect(await cell('open("data.csv").read()')).toEqual([]);
    const later =
      'import threading, time\ndef late(): time.sleep(0.3); open("late", "w").close()\nthreading.Thread(target=late).start()';
    expect(await cell(later)).toEqual([]);
    expect(await cell('time.sleep(1)')).toEqual(['late']);
    await engine.closeSession(sessionId);
    expect(await files.stat('')).toMatchObject({ ok: false, error: { kind: 'unknown_session' } });
  });
});
