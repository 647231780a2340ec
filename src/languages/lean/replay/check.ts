import { SandboxFiles } from '../../../sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd } from '../../exit.ts';
import type { CellEnd } from '../../language.ts';
import { cellReport } from '../ends.ts';
import { EMPTY_REPORT } from '../report.ts';
import { checkerStart, NOT_FOUND } from '../worker/leanProcess.ts';
import { MODULE } from './compile.ts';
import { endOfStep, runStep, type Step } from './step.ts';
import type { CompiledFile, Replay } from './terms.ts';

/** Programs that send every declaration of a compiled file to Lean's kernel again; the first that is there is used. */
const CHECKERS = ['leanchecker', 'lean4checker'];
const FOLDER = 'replay';
/** Precedes the checker's name, which is printed before all else. */
const NAMED = 'checker: ';

/** Has the toolchain's checker read compiled files in a sandbox that the code was never in; the report has its answer. */
export async function check(sandbox: Sandbox, files: readonly CompiledFile[]): Promise<CellEnd> {
  for (const { suffix, bytes } of files) {
    const put = new SandboxFiles(sandbox);
    try {
      await put.put(`${FOLDER}/${MODULE}${suffix}`, bytes);
    } finally {
      put.close();
    }
  }
  const step = await runStep(sandbox, checkerStart(CHECKERS, { folder: FOLDER, module: MODULE, named: NAMED }));
  const ended = endOfStep(step);
  if (ended) return ended;
  return cellEnd({ status: 'ok', alive: false, report: cellReport({ ...EMPTY_REPORT, replay: replayOf(step) }) });
}

function replayOf({ code, text }: Step): Replay {
  const [, checker = null, said = ''] = new RegExp(`^${NAMED}(\\S+)\\n?([\\s\\S]*)$`).exec(text) ?? [];
  if (checker !== null) return { checker, outcome: code === 0 ? 'accepted' : 'rejected', text: said.trim() };
  const missing = `The toolchain brings no checker for compiled files (${CHECKERS.join(', ')}).`;
  return code === NOT_FOUND
    ? { checker: null, outcome: 'unavailable', text: missing }
    : { checker: null, outcome: 'failed', text };
}
