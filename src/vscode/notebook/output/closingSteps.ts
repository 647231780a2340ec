import type { RunError, RunResult, SessionState } from '../../../engine/types.ts';
import { formatCount, inEditor } from '../../format.ts';
import { editorLanguage } from '../../languages.ts';
import { notice, type OutputStep } from './outputSteps.ts';
import { errorOf, reportSteps } from './reportSteps.ts';

/**
 * What the end of a run adds to its live output: notices of truncation, the checker's report, an error that live output
 * did not show, and the loss of the session. `state` is the session's, undefined when it is closed.
 */
export function closingSteps(result: RunResult, errorShown: boolean, state?: SessionState): readonly OutputStep[] {
  const { report, sessionLost, outputCut, displaysDropped } = result;
  const error = shownError(result);
  const steps: OutputStep[] = [];
  if (outputCut) {
    steps.push(
      notice(`Output truncated: ${formatWritten(result)}. The setting hothouse.limits.outputKb is the limit.`),
    );
  }
  if (displaysDropped > 0) {
    steps.push(notice(`${formatCount(displaysDropped, 'display')} omitted: too many, too large or malformed.`));
  }
  if (report) steps.push(...report.notes.map(notice), ...reportSteps(report, editorLanguage(report.language)));
  if (error && !errorShown) steps.push({ kind: 'error', error });
  // Live output has shown the traceback, but not yet that the session is lost.
  else if (error && sessionLost) steps.push({ kind: 'error', error: { ...error, traceback: '' } });
  if (sessionLost && (state === undefined || state === 'ended')) steps.push(SESSION_LOST);
  return steps;
}

/** Errors of a report have positions; the run's own error only reports that the code was rejected. */
function shownError({ status, report, error }: RunResult): RunError | null {
  if (status === 'error') return (report && errorOf(report)) ?? error;
  // The engine has written these, user code the others.
  const isOurs = status === 'out_of_memory' || status === 'rejected';
  return error && isOurs ? { ...error, message: inEditor(error.message) } : error;
}

const SESSION_LOST = notice('The next cell starts a new interpreter. Run the cells that it depends on first.');

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
