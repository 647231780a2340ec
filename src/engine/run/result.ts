import type { CellEnd } from '../../languages/language.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { ChangedFiles } from '../files/types.ts';
import type { EngineProblem, OutcomeStatus, RunError, RunResult } from '../types.ts';
import type { Executed } from './execute.ts';
import type { StopReason } from './terminator.ts';

/** The fields of a result when no code ran. */
export const NOTHING_RAN = {
  exitCode: null,
  stdout: '',
  stderr: '',
  result: null,
  displays: [],
  state: null,
  stateLeftOut: [],
  report: null,
  files: null,
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

/** What `resultOf` needs besides the execution. */
export interface ResultContext {
  readonly runId: string;
  readonly memory: MemoryLimit;
  readonly sessionId: string | null;
  readonly files: ChangedFiles | null;
  /** A sentence on what the session lost with this run; null when it lives. */
  readonly loss: string | null;
}

/** The result of a run that has ended. */
export function resultOf(executed: Executed, { runId, memory, sessionId, loss, files }: ResultContext): RunResult {
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
    report: end.report as RunResult['report'],
    files,
    truncated: outputCut || displaysDropped > 0 || stateLeftOut.length > 0 || end.report?.truncated === true,
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

/** The status of a run, from how its cell ended and why it was stopped. */
export function statusOf({ status }: CellEnd, stopped: StopReason | null): OutcomeStatus {
  if (status === 'out_of_memory') return status;
  // Its code may still run, so it must not count as stopped.
  if (status === 'unstopped') return 'sandbox_lost';
  // A run that succeeds after its timeout is still late.
  if (stopped === 'timeout') return 'timeout';
  if (stopped === 'aborted') return 'interrupted';
  if (status === 'ok' || status === 'error') return status;
  if (stopped === 'interrupted') return 'interrupted';
  return status === 'killed' ? 'error' : status;
}

/** The error for a status: cause, subject and, where it helps, the next step. */
function errorOf({ end, timeoutMs }: Executed, status: OutcomeStatus, memory: MemoryLimit): RunError | null {
  const traceback = end.error?.traceback ?? '';
  switch (status) {
    case 'timeout': {
      const message = `The run took longer than ${timeoutMs / 1000} s and was stopped. Give it more time or less to do.`;
      return { name: 'Timeout', message, traceback };
    }
    case 'out_of_memory': {
      const advice = memory.option === null ? 'give it more' : `raise the option ${memory.option}`;
      const limit = memory.option === null ? `${memory.mb} MB that it may use` : `${memory.mb} MB that a sandbox has`;
      const message = `The run needed more than the ${limit}. Use less, or ${advice}.`;
      return { name: 'OutOfMemory', message, traceback };
    }
    case 'interrupted':
      if (end.status === 'interrupted' && end.error) return end.error;
      return { name: 'Interrupted', message: 'The run was interrupted.', traceback };
    case 'sandbox_lost':
      return {
        name: 'SandboxLost',
        message: end.error?.message ?? 'The sandbox was lost. Run it again.',
        traceback,
      };
    default:
      return end.error;
  }
}
