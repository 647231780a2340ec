import type { Owner } from '../../../sandbox/owner.ts';
import type { Answer, TaskResult, Tasks } from '../../languageTasks.ts';
import { type JudgeTerms, STANDARD_AXIOMS } from '../judge/terms.ts';
import { EMPTY_REPORT, type LeanGoals, type LeanReport, type LeanTask, leanReport, type Verdict } from '../report.ts';
import { fittedTogether, sizeOf } from '../reportSize.ts';
import type {
  CheckAnswer,
  CheckRequest,
  GoalsAnswer,
  GoalsRequest,
  LeanEngine,
  RunTask,
  TacticAnswer,
  TacticsRequest,
} from './leanEngine.ts';
import { replayed } from './replayed.ts';

/** Lean's questions, each answered by one-shot runs. */
export function createLeanEngine(tasks: Tasks): LeanEngine {
  return {
    check: (request, signal) => checkAll(request, tasks.outputLimit(), (one) => tasks.run(one, signal)),
    async goals(request, signal) {
      const text = await tasks.textOf(request.sessionId, signal);
      return text.ok ? goalsOf(request, text.value, (one) => tasks.run(one, signal)) : text;
    },
    async tryTactics(request, signal) {
      const text = await tasks.textOf(request.sessionId, signal);
      return text.ok ? tryAll(request, text.value, tasks.outputLimit(), (one) => tasks.run(one, signal)) : text;
    },
  };
}

/** Checks that run at the same time; more would only wait in the pool. */
const AT_ONCE = 32;
export const MAX_PROOFS = 10_000;
export const MAX_TACTICS = 256;
/** Length of a tactic's errors in UTF-16 units; its report has more. */
const ERROR_LENGTH = 4_000;

/** The limit for all reports of a request together, as a multiple of the limit for one run. */
const TOGETHER = 2;

/** Checks each proof independently; returns the answers in the order of the proofs. `limit` is in bytes, for one run. */
async function checkAll(request: CheckRequest, limit: number, run: RunTask): Promise<Answer<readonly CheckAnswer[]>> {
  const { proofs, header, owner, timeoutSeconds } = request;
  if (proofs.length > MAX_PROOFS) return tooMany('proofs', proofs.length, MAX_PROOFS);
  const value = await mapAll(proofs, limit, async ({ id, code, statement }) => {
    const judge = judgeTermsOf(request, statement);
    const result = await run({
      ...{ owner: judge ? judgeOf(owner) : owner, code },
      task: { ...taskWith(header), kind: 'check', ...(judge && { judge }) },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    const answer = answerOf(result, id ?? null);
    if (request.replay !== true || answer.verdict !== 'accepted') return answer;
    return replayed(answer, { ...request, code }, run);
  });
  return { ok: true, value };
}

/** What the judge of a proof asks; null without a judge. */
function judgeTermsOf({ allowedAxioms }: CheckRequest, statement: string | undefined): JudgeTerms | null {
  if (allowedAxioms === undefined && statement === undefined) return null;
  const axioms = allowedAxioms === undefined || allowedAxioms === 'standard' ? STANDARD_AXIOMS : allowedAxioms;
  return { allowedAxioms: axioms, ...(statement !== undefined && { statement }) };
}

/** Judged code has workers of its own: other code of the owner may have changed a worker that it ran in. */
function judgeOf(owner: Owner): Owner {
  return { ...owner, id: `${owner.id}/judge` };
}

/** The goals at a position of the code, or at each `sorry`; `text` is the code of the request's session. */
async function goalsOf(request: GoalsRequest, text: string, run: RunTask): Promise<Answer<GoalsAnswer>> {
  const { owner, at, timeoutSeconds } = request;
  const { code, context } = codeOf(request, text);
  const task: LeanTask = { ...taskWith(context), kind: 'goals', at: at ?? null };
  const result = await run({
    ...{ owner, code, task },
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  });
  const answer = answerOf(result, null);
  return { ok: true, value: { ...answer, goals: goalsIn(answer.report) } };
}

/** Tries each tactic on its own copy of the code; returns the answers in the order of the tactics. */
async function tryAll(
  request: TacticsRequest,
  text: string,
  limit: number,
  run: RunTask,
): Promise<Answer<readonly TacticAnswer[]>> {
  const { owner, at, tactics, timeoutSeconds } = request;
  const { code, context } = codeOf(request, text);
  if (tactics.length > MAX_TACTICS) return tooMany('tactics', tactics.length, MAX_TACTICS);
  const answers = await mapAll(tactics, limit, async (tactic) => {
    const result = await run({
      ...{ owner, code, task: { ...taskWith(context), kind: 'tactic', at, tactic } },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    return answerOf(result, null);
  });
  return { ok: true, value: answers.map((answer, index) => tacticAnswer(tactics[index] ?? '', answer)) };
}

/** The code to check and what precedes it. Empty code with a session means the session's own code. */
function codeOf({ sessionId, code }: GoalsRequest | TacticsRequest, text: string) {
  const isOwn = sessionId !== undefined && code.trim() === '';
  return isOwn ? { code: text, context: undefined } : { code, context: text };
}

function taskWith(context: string | undefined) {
  return { language: 'lean' as const, ...(context !== undefined && { context }) };
}

/** Maps `items` in parallel; cuts the reports as soon as they exceed the limit for all of them. */
async function mapAll<T, R extends { readonly report: LeanReport | null }>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let held = 0;
  const cut = () => {
    const done = [...results.entries()].filter(([, result]) => result !== undefined);
    const reports = fittedTogether(
      done.map(([, { report }]) => report),
      TOGETHER * limit,
    );
    for (const [at, [index, result]] of done.entries()) results[index] = { ...result, report: reports[at] ?? null };
    held = reports.reduce((sum, report) => sum + (report ? sizeOf(report) : 0), 0);
  };
  const worker = async () => {
    for (const [index, item] of queue) {
      const result = await work(item);
      results[index] = result;
      held += result.report ? sizeOf(result.report) : 0;
      // Rarely, because each cut reads all reports.
      if (held > 2 * TOGETHER * limit) cut();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (held > TOGETHER * limit) cut();
  return results;
}

/** The report's verdict; `timeout` for a check that did not end in time, otherwise null. */
export function verdictOf({ report, status }: Pick<TaskResult, 'report' | 'status'>): Verdict | null {
  return leanReport(report)?.verdict ?? (status === 'timeout' ? 'timeout' : null);
}

function answerOf(run: TaskResult, id: string | null): CheckAnswer {
  const { status, error, durationMs } = run;
  const report = leanReport(run.report);
  return { id, status, verdict: verdictOf(run), report, error: report ? null : error, durationMs };
}

function goalsIn(report: LeanReport | null): readonly LeanGoals[] {
  return report?.goals ?? [];
}

function tacticAnswer(tactic: string, { status, report, verdict, error, durationMs }: CheckAnswer): TacticAnswer {
  const failure = report ? errorsIn(report) : (error?.message ?? `The check ended as ${status}.`);
  const [first] = goalsIn(report);
  const { messages, messageCount, truncated } = report ?? EMPTY_REPORT;
  return {
    ...{ tactic, goals: failure === null ? (first?.goals ?? null) : null, error: failure },
    ...{ messages, messageCount, truncated, verdict, durationMs },
  };
}

/** The errors of a report as one text, cut to `ERROR_LENGTH`; null without errors. */
function errorsIn({ messages }: LeanReport): string | null {
  const errors = messages.filter(({ severity }) => severity === 'error').map(({ text }) => text.trimEnd());
  return errors.length > 0 ? errors.join('\n\n').slice(0, ERROR_LENGTH) : null;
}

function tooMany(what: string, count: number, limit: number): Extract<Answer<never>, { ok: false }> {
  const message = `${count} ${what} are more than ${limit}.`;
  return { ok: false, error: { kind: 'invalid_request', message, advice: `Send at most ${limit} at a time.` } };
}
