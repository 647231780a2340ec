import { onTestFinished } from 'vitest';
import type { Engine, RunOutput, RunRequest, RunResult } from '../../src/engine/types.ts';
import type { CheckReport } from '../../src/languages/lean/report.ts';
import { OWNER } from './leanEngine.ts';

/** A Lean session for tests. */
export interface LeanCells {
  readonly id: string;
  run(code: string, rest?: Partial<RunRequest>, onOutput?: (output: RunOutput) => void): Promise<RunResult>;
  /** The output of a cell; fails the test unless the cell is accepted and ends with `ok`. */
  print(code: string): Promise<string>;
}

/** A session for one test, closed when the test ends. */
export async function leanCells(engine: Engine): Promise<LeanCells> {
  const opened = await engine.openSession('lean', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const { id } = opened.value;
  onTestFinished(async () => void (await engine.closeSession(id)));
  const run: LeanCells['run'] = (code, rest = {}, onOutput) =>
    engine.run({ language: 'lean', owner: OWNER, sessionId: id, code, ...rest }, onOutput);
  const print = async (code: string) => {
    const { status, stdout, error, report } = await run(code);
    if (status !== 'ok') throw new Error(`${status}: ${error?.message} (${report?.verdict})`);
    return stdout;
  };
  return { id, run, print };
}

/** Severity and line of a report's messages, each once: versions of Lean use one message or two. */
export function placesOf(report: CheckReport | null | undefined): string[] {
  return [...new Set(report?.messages.map(({ severity, line }) => `${severity} ${line}`))];
}
