import type { CellReport } from '../../languages/language.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { EngineProblem, RunError, RunResult } from '../types.ts';
import type { Executed } from './execute.ts';
import { errorOf, statusOf } from './verdict.ts';

/** What the result of a run that did not begin has in common with every other. */
export const NOTHING_RAN = {
  exitCode: null,
  stdout: '',
  stderr: '',
  result: null,
  displays: [],
  state: null,
  stateLeftOut: [],
  report: null,
  verdict: null,
  truncated: false,
  outputCut: false,
  displaysDropped: 0,
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
  const { end, shown, outputBytes } = executed;
  const status = statusOf(end, executed.stopped);
  const error = errorOf(executed, status, memory);
  const { stateLeftOut = [] } = end;
  const outputCut = end.stdoutBytes > outputBytes || end.stderrBytes > outputBytes;
  const displaysDropped = end.eventsDropped + shown.leftOut;
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
    stateLeftOut,
    report: end.report,
    verdict: end.report?.verdict ?? (checks && status === 'timeout' ? 'timeout' : null),
    truncated: outputCut || displaysDropped > 0 || stateLeftOut.length > 0 || isReportCut(end.report),
    outputCut,
    displaysDropped,
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

function isReportCut(report: CellReport | null): boolean {
  return report !== null && (report.truncated || report.later.some(({ report: later }) => later.truncated));
}
