import { plainError } from '../exit.ts';
import type { CellEnd, CellError, CellReport } from '../language.ts';
import type { NoAnswer } from './lsp/answers.ts';
import type { CheckReport } from './report.ts';

/** An end with nothing in it but what is given. */
export function endOf(given: Pick<CellEnd, 'status' | 'alive'> & Partial<CellEnd>): CellEnd {
  return {
    exitCode: null,
    state: null,
    error: null,
    report: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    eventsDropped: 0,
    peakMemoryBytes: 0,
    ...given,
  };
}

/** A report without more to say than the check itself. */
export function cellReport(report: CheckReport): CellReport {
  return { ...report, notes: [], later: [] };
}

/** Errors told in a message: of a wrong proof the first one is often not the one that tells most. */
const TOLD = 3;
/** UTF-16 units kept of all errors; a report has them whole. */
const MOST = 64 * 1024;

/** The error of code that Lean rejects: its first errors, and all of them as Lean prints them. */
export function rejection({ messages }: CheckReport): CellError {
  const errors = messages.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ line, column, text }) => `${line}:${column}: error: ${text.trimEnd()}`);
  if (lines.length === 0) return plainError('LeanError', 'Lean could not read the header of the code.');
  const more = lines.length > TOLD ? [`(and ${lines.length - TOLD} more)`] : [];
  return {
    name: 'LeanError',
    message: clipped([...lines.slice(0, TOLD), ...more].join('\n')),
    traceback: clipped(lines.join('\n')),
  };
}

function clipped(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}\n[${text.length - MOST} more characters]` : text;
}

/** Where Lean's own end is told. */
export interface CrashTerms {
  readonly isOutOfMemory: boolean;
  readonly alive: boolean;
  /** What it means for a session, behind a sentence. */
  readonly consequence: string;
}

/** What an end of Lean in the middle of its work means: the kernel killed it for memory, or it left by itself. */
export function crashEnd(end: NoAnswer, { isOutOfMemory, alive, consequence }: CrashTerms): CellEnd {
  if (isOutOfMemory) {
    const message = `Lean needed more memory than its sandbox has.${consequence}`;
    return endOf({ status: 'out_of_memory', alive, error: plainError('OutOfMemory', message) });
  }
  const causes = 'code may have ended it by IO.Process.exit, killed it, or overflowed its stack';
  const cause = end.kind === 'lost' ? end.reason : causes;
  const message = `Lean's process ended before it was done: ${cause}.${consequence}`;
  return endOf({ status: 'error', alive, error: plainError('LeanCrashed', message) });
}
