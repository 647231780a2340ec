import type { OptionsInput } from '../../src/engine/options.ts';
import type { RunResult, SessionRecord } from '../../src/engine/types.ts';
import { faultBench } from './harness.ts';

/** What the process prints, one JSON value a line. */
export type LeftLine =
  | { readonly record: SessionRecord }
  | { readonly begun: number }
  | { readonly answer: Pick<RunResult, 'runId' | 'status' | 'stdout'> };

/** Options of both engines. */
export const LEFT_OPTIONS = {
  pool: { size: 1, maxConcurrentCreations: 3 },
  sessions: { max: 60, keepSeconds: 120 },
} satisfies OptionsInput;

function print(line: LeftLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// An engine in a process of its own whose sessions a test leaves behind. Arguments: the machine label of its containers,
// and how many sessions it opens. Then each runs a cell; the first takes half a second more than 0, the next one more.
const [, program, machine, count] = process.argv;
if (program === import.meta.filename) {
  const bench = await faultBench(LEFT_OPTIONS, '', machine, {
    save: async (record) => print({ record }),
    remove: async () => {},
  });
  const ids = [];
  while (ids.length < Number(count)) ids.push(await bench.open());
  const runs = ids.map(async (sessionId, number) => {
    const code = `import time\nx = ${number}\ntime.sleep(${(1 + number) / 2})\nprint(x)`;
    const { result } = await bench.begin(code, { sessionId, timeoutSeconds: 120 });
    void result.then(({ runId, status, stdout }) => print({ answer: { runId, status, stdout } }));
  });
  await Promise.all(runs);
  print({ begun: ids.length });
}
