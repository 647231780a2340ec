import { randomUUID } from 'node:crypto';
import type { Owner } from '../../../sandbox/owner.ts';
import type { TaskResult } from '../../languageTasks.ts';
import type { CompiledFile, Replay } from '../replay/terms.ts';
import { type LeanTask, leanReport, type Verdict } from '../report.ts';
import type { CheckAnswer, CheckRequest, RunTask } from './leanEngine.ts';

/** A run needs code. */
const NO_CODE = '-- replay';

type ReplayRequest = Pick<CheckRequest, 'owner' | 'header' | 'timeoutSeconds'> & { readonly code: string };

/**
 * The answer to code that Lean has accepted, after the checker of compiled files has read it: compiled in one sandbox and read
 * in another one that the code was never in. Neither serves anything else, before or after.
 */
export async function replayed(answer: CheckAnswer, request: ReplayRequest, run: RunTask): Promise<CheckAnswer> {
  const { owner, code, header, timeoutSeconds } = request;
  const limit = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  const compiled = await run({ ...limit, owner: apart(owner), code, task: compileTask(header) });
  const files = leanReport(compiled.report)?.compiled;
  if (!files) return withReplay(answer, failureOf(compiled), compiled);
  const checked = await run({ ...limit, owner: apart(owner), code: NO_CODE, task: replayTask(files) });
  return withReplay(answer, leanReport(checked.report)?.replay ?? failureOf(checked), checked);
}

function compileTask(header: string | undefined): LeanTask {
  return { language: 'lean', kind: 'compile', ...(header !== undefined && { context: header }) };
}

function replayTask(files: readonly CompiledFile[]): LeanTask {
  return { language: 'lean', kind: 'replay', files };
}

/** No other run has this owner, so no other run gets its sandbox. */
function apart(owner: Owner): Owner {
  return { ...owner, id: `${owner.id}/replay/${randomUUID()}` };
}

function failureOf({ error, status }: TaskResult): Replay {
  return { checker: null, outcome: 'failed', text: error?.message ?? `It ended as ${status}.` };
}

/** A proof that no checker has read to its end is not accepted, except where there is none. */
function withReplay(answer: CheckAnswer, replay: Replay, { status, durationMs }: TaskResult): CheckAnswer {
  const verdicts: Record<Replay['outcome'], Verdict> = {
    accepted: 'accepted',
    rejected: 'rejected',
    unavailable: 'accepted',
    failed: status === 'timeout' ? 'timeout' : 'incomplete',
  };
  const verdict = verdicts[replay.outcome];
  const report = answer.report && { ...answer.report, verdict, replay };
  return { ...answer, verdict, report, durationMs: answer.durationMs + durationMs };
}
