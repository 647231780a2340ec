import { plainError } from '../exit.ts';
import type { CellEnd, CellError, CellReport } from '../language.ts';
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

/** The error of code that Lean rejects: its first error, and all of them as Lean prints them. */
export function rejection({ messages }: CheckReport): CellError {
  const errors = messages.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ line, column, text }) => `${line}:${column}: error: ${text.trimEnd()}`);
  const message = lines[0] ?? 'Lean could not read the header of the code.';
  return { name: 'LeanError', message, traceback: lines.join('\n') };
}

/** Printed text of a check, as of `#eval` and `#check`, in order of place. */
export function printedIn({ messages }: CheckReport): string {
  return messages
    .filter(({ severity }) => severity === 'information')
    .map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`))
    .join('');
}

/** What a crash of Lean's worker means: the kernel killed it for memory, or it broke down by itself. */
export function crashEnd(oomKills: number, alive: boolean, consequence: string): CellEnd {
  if (oomKills > 0) {
    const message = `Lean needed more memory than its sandbox has.${consequence}`;
    return endOf({ status: 'out_of_memory', alive, error: plainError('OutOfMemory', message) });
  }
  const message = `Lean crashed, most likely by a stack overflow in the code or in a tactic.${consequence}`;
  return endOf({ status: 'error', alive, error: plainError('LeanCrashed', message) });
}
