import type { RunError, RunResult, SessionState } from '../../../engine/types.ts';
import { formatCount } from '../../format.ts';
import { notice, type OutputStep } from './outputSteps.ts';
import { errorOf, reportSteps } from './reportSteps.ts';

/**
 * What a run's end adds to its live output: what was cut, what the language says of the code, an error that was not shown
 * yet, and what was lost. `state` is the session's, undefined when it was closed.
 */
export function closingSteps(result: RunResult, errorShown: boolean, state?: SessionState): readonly OutputStep[] {
  const { report, sessionLost, outputCut, displaysDropped } = result;
  const error = shownError(result);
  const steps: OutputStep[] = [];
  if (outputCut) {
    steps.push(
      notice(`Output was cut: ${formatWritten(result)}. The setting hothouse.limits.outputKb sets the limit.`),
    );
  }
  if (displaysDropped > 0) {
    steps.push(notice(`${formatCount(displaysDropped, 'display')} left out: too many, too large or malformed.`));
  }
  if (report) steps.push(...report.notes.map(notice), ...reportSteps(report));
  if (error && !errorShown) steps.push({ kind: 'error', error });
  // The traceback is there already; that the session is lost was not known then.
  else if (error && sessionLost) steps.push({ kind: 'error', error: { ...error, traceback: '' } });
  if (sessionLost && (state === undefined || state === 'ended')) steps.push(OVER);
  return steps;
}

/** A report says at which places the code is wrong, the error only that it is. */
function shownError({ status, report, error }: RunResult): RunError | null {
  const isRejected = status === 'error' && report?.verdict === 'rejected';
  return isRejected ? (errorOf(report) ?? error) : error;
}

const OVER = notice('The next cell that you run starts a new interpreter: run first the cells that it needs.');

function formatWritten({ stdoutBytes, stderrBytes }: RunResult): string {
  const streams = [
    stdoutBytes > 0 ? `${kilobytes(stdoutBytes)} written to stdout` : '',
    stderrBytes > 0 ? `${kilobytes(stderrBytes)} written to stderr` : '',
  ];
  return streams.filter(Boolean).join(', ');
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
