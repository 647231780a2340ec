import type { Engine } from '../../src/engine/types.ts';
import { axiomCommands, CONTROL } from '../../src/languages/lean/check/axioms.ts';
import { segmentOf } from '../../src/languages/lean/check/cellSource.ts';
import { LeanServer } from '../../src/languages/lean/lsp/server.ts';
import { AT_ONCE } from '../../src/languages/lean/worker/worker.ts';
import type { LeanByHand } from './byHand.ts';
import { OWNER } from './engine.ts';

/** Something that takes one cell after the other and keeps them. */
export interface CellRunner {
  /** Runs the cell of a number. Rejects when it is not accepted. */
  run(n: number): Promise<void>;
  close(): Promise<void>;
}

/** What a server is given: the cells' text, or what a session puts into its document to ask of the declarations too. */
export type Given = 'text' | 'edits';

/** Pause after each, for what runs on after an answer. */
const PACE_MS = 10;

/** The cell of a number: a definition, a proof, and something printed. */
function cellOf(n: number): string {
  return `def f${n} (x : Nat) : Nat := x + ${n}\ntheorem t${n} (x : Nat) : f${n} x = x + ${n} := rfl\n#eval f${n} 1\n`;
}

/** A session of the engine's. */
export async function sessionOf(engine: Engine): Promise<CellRunner> {
  const opened = await engine.openSession('lean', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const { id } = opened.value;
  return {
    async run(n) {
      const code = cellOf(n);
      const result = await engine.run({ language: 'lean', code, sessionId: id, owner: OWNER });
      if (result.report?.verdict !== 'accepted') throw new Error(`${code}: ${result.status} ${result.error?.message}`);
    },
    async close() {
      await engine.closeSession(id);
    },
  };
}

/** A server of its own that is given the same, without an engine. */
export async function serverOf(lean: LeanByHand, given: Given): Promise<CellRunner> {
  // As ours is started; an early version leaves at an option that it does not know.
  const prompt = await LeanServer.start(lean.serve([AT_ONCE]));
  const started = prompt.kind === 'lost' ? await LeanServer.start(lean.serve([])) : prompt;
  if (started.kind !== 'started') throw new Error(`the server alone did not start: ${started.kind}`);
  const { server } = started;
  const document = server.open({ uri: 'file:///bench/Cells.lean', text: '\n' });
  await document.settled();
  let kept = document.text.length;
  return {
    async run(n) {
      const cell = given === 'text' ? cellOf(n) : segmentOf({ body: cellOf(n), hasSeparator: true });
      const questions = given === 'text' ? '' : axiomCommands([CONTROL, `f${n}`, `t${n}`]);
      document.replaceFrom(kept, cell + questions);
      kept += cell.length;
      const settled = await document.settled();
      if (settled.kind !== 'settled' || settled.fatalAt) throw new Error(`the server alone: ${settled.kind}`);
    },
    async close() {
      server.kill();
    },
  };
}

/** Milliseconds for each of `count` cells, by runner; they take turns, so that all meet the same machine. */
export async function cellTimes(runners: readonly CellRunner[], count: number): Promise<number[][]> {
  const timed = runners.map((runner): { runner: CellRunner; times: number[] } => ({ runner, times: [] }));
  for (let n = 1; n <= count; n += 1) {
    for (const { runner, times } of timed) {
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
      const start = performance.now();
      await runner.run(n);
      times.push(performance.now() - start);
    }
  }
  return timed.map(({ times }) => times);
}
