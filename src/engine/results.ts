import type { CellReport } from '../languages/language.ts';
import type { Executed } from './execute.ts';
import type { MemoryLimit } from './profile.ts';
import type { EngineProblem, RunError, RunResult } from './types.ts';
import { errorOf, statusOf } from './verdict.ts';

const NOTHING_RAN = {
  exitCode: null,
  stdout: '',
  stderr: '',
  result: null,
  displays: [],
  state: null,
  report: null,
  verdict: null,
  truncated: false,
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 0,
  peakMemoryBytes: 0,
  sessionLost: false,
} as const;

/** The result of a run that did not begin. One that was cancelled counts as interrupted. */
export function notRun(runId: string, problem: EngineProblem, sessionId: string | null = null): RunResult {
  const error: RunError = { name: problem.kind, message: `${problem.message} ${problem.advice}`, traceback: '' };
  const status = problem.kind === 'cancelled' ? 'interrupted' : 'rejected';
  return { runId, status, error, sessionId, ...NOTHING_RAN };
}

/** What a result needs beside what happened. */
export interface ResultContext {
  readonly runId: string;
  readonly memory: MemoryLimit;
  readonly sessionId: string | null;
  /** The language comes to a verdict on its code. */
  readonly checks: boolean;
  /** What the session lost by this run, as a sentence for its error; null when it lives on. */
  readonly loss: string | null;
}

/** The result of a run that has ended. */
export function resultOf(executed: Executed, { runId, memory, sessionId, checks, loss }: ResultContext): RunResult {
  const { end, shown } = executed;
  const status = statusOf(end, executed.stopped);
  const error = errorOf(executed, status, memory);
  return {
    runId,
    status,
    exitCode: end.exitCode,
    stdout: shown.stdout,
    stderr: shown.stderr,
    result: shown.result,
    error: loss === null ? error : withLoss(error, loss),
    displays: shown.displays,
    state: end.state,
    report: end.report,
    verdict: end.report?.verdict ?? (checks && status === 'timeout' ? 'timeout' : null),
    truncated: isTruncated(executed),
    stdoutBytes: end.stdoutBytes,
    stderrBytes: end.stderrBytes,
    durationMs: executed.durationMs,
    peakMemoryBytes: end.peakMemoryBytes,
    sessionId,
    sessionLost: loss !== null,
  };
}

function withLoss(error: RunError | null, loss: string): RunError {
  if (!error) return { name: 'SessionEnded', message: loss, traceback: '' };
  return { ...error, message: error.message ? `${error.message} ${loss}` : loss };
}

function isTruncated({ end, shown, outputBytes }: Executed): boolean {
  const isFlood = end.stdoutBytes > outputBytes || end.stderrBytes > outputBytes;
  return isFlood || end.eventsDropped + shown.leftOut > 0 || isCut(end.report);
}

function isCut(report: CellReport | null): boolean {
  return report !== null && (report.truncated || report.later.some(({ report: later }) => later.truncated));
}
