import {
  EMPTY_REPORT,
  type LeanGoals,
  type LeanReport,
  type LeanTask,
  type Verdict,
} from '../../languages/lean/report.ts';
import { fittedTogether, sizeOf } from '../../languages/lean/reportSize.ts';
import { invalidRequest } from '../problems.ts';
import type { Result, RunRequest, RunResult } from '../types.ts';
import type {
  CheckAnswer,
  CheckRequest,
  GoalsAnswer,
  GoalsRequest,
  LeanEngine,
  TacticAnswer,
  TacticsRequest,
} from './leanEngine.ts';

/** Does one check as a one-shot run with a task; never rejects. */
export type RunTask = (request: RunRequest & { readonly task: LeanTask }) => Promise<RunResult>;

/** What Lean's questions need of the engine. */
export interface LeanEngineContext {
  readonly run: (request: Parameters<RunTask>[0], signal: AbortSignal | undefined) => Promise<RunResult>;
  /** The text of a session of Lean; empty without a session. */
  readonly textOf: (sessionId: string | undefined, signal: AbortSignal | undefined) => Promise<Result<string>>;
  /** Bytes that one run may say. */
  readonly outputLimit: () => number;
}

/** Lean's questions, each answered by one-shot runs. */
export function createLeanEngine({ run, textOf, outputLimit }: LeanEngineContext): LeanEngine {
  return {
    check: (request, signal) => checkAll(request, outputLimit(), (one) => run(one, signal)),
    async goals(request, signal) {
      const text = await textOf(request.sessionId, signal);
      return text.ok ? goalsOf(request, text.value, (one) => run(one, signal)) : text;
    },
    async tryTactics(request, signal) {
      const text = await textOf(request.sessionId, signal);
      return text.ok ? tryAll(request, text.value, outputLimit(), (one) => run(one, signal)) : text;
    },
  };
}

/** Checks on their way at the same time; more would only wait in the pool. */
const AT_ONCE = 32;
const MOST_PROOFS = 10_000;
const MOST_TACTICS = 256;
/** UTF-16 units kept of a tactic's errors; its report has more. */
const ERROR_LENGTH = 4_000;

/** How many times the output limit of one run the reports of many checks have together. */
const TOGETHER = 2;

/**
 * Checks each proof on its own; the answers come in the order of the proofs, whatever order they end in. `limit` is how
 * much one run may say, in bytes.
 */
async function checkAll(request: CheckRequest, limit: number, run: RunTask): Promise<Result<readonly CheckAnswer[]>> {
  const { proofs, header, owner, timeoutSeconds } = request;
  if (proofs.length > MOST_PROOFS) return tooMany('proofs', proofs.length, MOST_PROOFS);
  const value = await eachOf(proofs, limit, async ({ id, code }) => {
    const result = await run({
      ...{ language: 'lean', owner, code, task: { ...taskWith(header), kind: 'check' } },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    return answerOf(result, id ?? null);
  });
  return { ok: true, value };
}

/** The goals at a place of the code, or at every `sorry` of it; `text` is what the request's session stands on. */
async function goalsOf(request: GoalsRequest, text: string, run: RunTask): Promise<Result<GoalsAnswer>> {
  const { owner, at, timeoutSeconds } = request;
  const { code, context } = piecesOf(request, text);
  const task: LeanTask = { ...taskWith(context), kind: 'goals', at: at ?? null };
  const result = await run({
    ...{ language: 'lean', owner, code, task },
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  });
  const answer = answerOf(result, null);
  return { ok: true, value: { ...answer, goals: goalsIn(result.report) } };
}

/** Tries each tactic on a copy of its own; the answers come in the order of the tactics. `text` and `limit` as above. */
async function tryAll(
  request: TacticsRequest,
  text: string,
  limit: number,
  run: RunTask,
): Promise<Result<readonly TacticAnswer[]>> {
  const { owner, at, tactics, timeoutSeconds } = request;
  const { code, context } = piecesOf(request, text);
  if (tactics.length > MOST_TACTICS) return tooMany('tactics', tactics.length, MOST_TACTICS);
  const answers = await eachOf(tactics, limit, async (tactic) => {
    const result = await run({
      ...{ language: 'lean', owner, code, task: { ...taskWith(context), kind: 'tactic', at, tactic } },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    });
    return answerOf(result, null);
  });
  return { ok: true, value: answers.map((answer, index) => tacticAnswer(tactics[index] ?? '', answer)) };
}

/** Empty code with a session means the session's own text. */
function piecesOf({ sessionId, code }: GoalsRequest | TacticsRequest, text: string) {
  const isOwn = sessionId !== undefined && code.trim() === '';
  return isOwn ? { code: text, context: undefined } : { code, context: text };
}

function taskWith(context: string | undefined) {
  return { language: 'lean' as const, ...(context !== undefined && { context }) };
}

/** What the work makes of each item; the reports are cut as soon as they are too much together. */
async function eachOf<T, R extends { readonly report: LeanReport | null }>(
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
      // Seldom, since it looks at all of them.
      if (held > 2 * TOGETHER * limit) cut();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (held > TOGETHER * limit) cut();
  return results;
}

/** What Lean comes to: the report's verdict, `timeout` when the check did not end in time, else null. */
export function verdictOf({ report, status }: Pick<RunResult, 'report' | 'status'>): Verdict | 'timeout' | null {
  return report?.verdict ?? (status === 'timeout' ? 'timeout' : null);
}

function answerOf(run: RunResult, id: string | null): CheckAnswer {
  const { status, report, error, durationMs } = run;
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

/** The errors of a report as one text, the first ones of many; null when it has none. */
function errorsIn({ messages }: LeanReport): string | null {
  const errors = messages.filter(({ severity }) => severity === 'error').map(({ text }) => text.trimEnd());
  return errors.length > 0 ? errors.join('\n\n').slice(0, ERROR_LENGTH) : null;
}

function tooMany(what: string, count: number, limit: number): Extract<Result<never>, { ok: false }> {
  const message = `${count} ${what} are more than ${limit}.`;
  return { ok: false, error: invalidRequest(message, `Send at most ${limit} at a time.`) };
}
