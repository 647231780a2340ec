import type { CellReport } from '../languages/language.ts';
import type { LeanGoals, LeanTask } from '../languages/lean/report.ts';
import { invalidRequest } from './problems.ts';
import type {
  Attempt,
  CheckAnswer,
  CheckRequest,
  GoalsAnswer,
  GoalsRequest,
  RunRequest,
  RunResult,
  TacticAnswer,
  TacticsRequest,
} from './types.ts';

/** Does one check as a one-shot run with a task; never rejects. */
export type RunTask = (request: RunRequest & { readonly task: LeanTask }) => Promise<RunResult>;

/** Checks on their way at the same time; more would only wait in the pool. */
const AT_ONCE = 32;
const MOST_PROOFS = 10_000;
const MOST_TACTICS = 256;

/** Checks each proof on its own; the answers come in the order of the proofs, whatever order they end in. */
export async function checkAll(request: CheckRequest, run: RunTask): Promise<Attempt<readonly CheckAnswer[]>> {
  const { proofs, header, owner, timeoutSeconds } = request;
  if (proofs.length > MOST_PROOFS) return tooMany('proofs', proofs.length, MOST_PROOFS);
  const value = await eachOf(proofs, async ({ id, code }) => {
    const result = await run({
      ...{ language: 'lean', owner, code, task: { kind: 'check' } },
      ...(header !== undefined && { context: header }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    return answerOf(result, id ?? null);
  });
  return { ok: true, value };
}

/** The goals at a place of the code, or at every `sorry` of it; `text` is what the request's session stands on. */
export async function goalsOf(request: GoalsRequest, text: string, run: RunTask): Promise<Attempt<GoalsAnswer>> {
  const { owner, at, timeoutSeconds } = request;
  const task: LeanTask = { kind: 'goals', at: at ?? null };
  const result = await run({
    ...{ language: 'lean', owner, task, ...piecesOf(request, text) },
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  });
  const answer = answerOf(result, null);
  return { ok: true, value: { ...answer, goals: goalsIn(result.report) } };
}

/** Tries each tactic on a copy of its own; the answers come in the order of the tactics. `text` as above. */
export async function tryAll(
  request: TacticsRequest,
  text: string,
  run: RunTask,
): Promise<Attempt<readonly TacticAnswer[]>> {
  const { owner, at, tactics, timeoutSeconds } = request;
  const pieces = piecesOf(request, text);
  if (tactics.length > MOST_TACTICS) return tooMany('tactics', tactics.length, MOST_TACTICS);
  const value = await eachOf(tactics, async (tactic) => {
    const result = await run({
      ...{ language: 'lean', owner, ...pieces, task: { kind: 'tactic', at, tactic } },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    return tacticAnswer(tactic, result);
  });
  return { ok: true, value };
}

/** Empty code with a session means the session's own text. */
function piecesOf({ sessionId, code }: GoalsRequest | TacticsRequest, text: string) {
  const isOwn = sessionId !== undefined && code.trim() === '';
  return isOwn ? { code: text } : { code, context: text };
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** A run that came to no report has no verdict either, but that its time was over. */
function answerOf({ status, report, error, durationMs }: RunResult, id: string | null): CheckAnswer {
  const verdict = report?.verdict ?? (status === 'timeout' ? 'timeout' : null);
  return { id, status, verdict, report, error: report ? null : error, durationMs };
}

function goalsIn(report: CellReport | null): readonly LeanGoals[] {
  return report?.goals ?? [];
}

function tacticAnswer(tactic: string, result: RunResult): TacticAnswer {
  const { report, durationMs } = result;
  const [first] = goalsIn(report);
  const failure = report?.messages.find(({ severity }) => severity === 'error');
  const isOver = report !== null && !failure;
  return {
    tactic,
    goals: isOver ? (first?.goals ?? null) : null,
    error: failure?.text ?? (report ? null : (result.error?.message ?? `The check ended as ${result.status}.`)),
    messages: report?.messages ?? [],
    verdict: report?.verdict ?? (result.status === 'timeout' ? 'timeout' : null),
    durationMs,
  };
}

function tooMany(what: string, count: number, limit: number): Extract<Attempt<never>, { ok: false }> {
  const message = `${count} ${what} are more than ${limit}.`;
  return { ok: false, error: invalidRequest(message, `Send at most ${limit} at a time.`) };
}
