import type { SandboxLoss } from '../../sandbox/sandbox.ts';
import { cellEnd, lossEnd, plainError } from '../exit.ts';
import type { CellEnd, CellError } from '../language.ts';
import type { NoAnswer } from './lsp/answers.ts';
import type { CheckReport, LeanReport } from './report.ts';
import type { LeanSettings } from './settings.ts';
import { importRefusal } from './text/importPolicy.ts';
import { FLOOD } from './worker/flood.ts';

/** A report with nothing beside the check itself. */
export function cellReport(report: CheckReport): LeanReport {
  return { ...report, language: 'lean', notes: [], rechecked: [] };
}

/** Errors in an error's message: for a wrong proof, the first error is often not the most useful one. */
const MESSAGE_ERRORS = 3;
/** UTF-16 units of all errors in an error; a report has them in full. */
const MAX_LENGTH = 64 * 1024;

/** The error for code that the judge or Lean rejects: the reasons, or the first errors as its message, and all of them, as Lean prints them. */
export function rejection({ messages, judgement }: CheckReport): CellError {
  if (judgement) return plainError('NotAccepted', judgement.reasons.join('\n'));
  const errors = messages.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ line, column, text }) => `${line}:${column}: error: ${text.trimEnd()}`);
  if (lines.length === 0) return plainError('LeanError', 'Lean could not read the header of the code.');
  const more = lines.length > MESSAGE_ERRORS ? [`(and ${lines.length - MESSAGE_ERRORS} more)`] : [];
  return {
    name: 'LeanError',
    message: clipped([...lines.slice(0, MESSAGE_ERRORS), ...more].join('\n')),
    traceback: clipped(lines.join('\n')),
  };
}

function clipped(text: string): string {
  return text.length > MAX_LENGTH
    ? `${text.slice(0, MAX_LENGTH)}\n[${text.length - MAX_LENGTH} more characters]`
    : text;
}

/** The circumstances of a crash of Lean. */
export interface Crash {
  readonly isOutOfMemory: boolean;
  readonly alive: boolean;
  /** What the crash means for a session, to append to a sentence. */
  readonly consequence: string;
}

/** The end of code during which Lean's process ended: the kernel killed it for memory, or it exited. */
export function crashEnd(end: NoAnswer, { isOutOfMemory, alive, consequence }: Crash): CellEnd {
  if (isOutOfMemory) {
    const message = `Lean needed more memory than its sandbox has.${consequence}`;
    return cellEnd({ status: 'out_of_memory', alive, error: plainError('OutOfMemory', message) });
  }
  const causes = 'code may have ended it by IO.Process.exit, killed it, or overflowed its stack';
  const cause = end.kind === 'lost' ? end.reason : causes;
  const message = `Lean's process ended before it was done: ${cause}.${consequence}`;
  return cellEnd({ status: 'error', alive, error: plainError('LeanCrashed', message) });
}

/** Appended to a message when the session survives its cell. */
export const KEPT = ' Everything before this cell is kept.';

/** Why this code is refused before Lean checks it; null when it is not. */
export function refusalOf(code: string, settings: LeanSettings): CellError | null {
  if (!/\p{Surrogate}/u.test(code)) return importRefusal(code, settings);
  return plainError('InvalidCode', 'The code has half of a surrogate pair, which is no character.');
}

/** The end of an interrupted cell. */
export function interruptedEnd(): CellEnd {
  const error = plainError('Interrupted', `The cell was interrupted.${KEPT}`);
  return cellEnd({ status: 'interrupted', alive: true, error });
}

/** The end of a cell about which Lean reports too much. */
export function floodEnd(): CellEnd {
  const error = plainError('TooMuchOutput', `With this cell, Lean ${FLOOD}.${KEPT}`);
  return cellEnd({ status: 'error', alive: true, error });
}

/** The end of a cell that could not run for a reason outside of the cell. */
export function failedEnd(error: unknown): CellEnd {
  const message = `Lean could not run the cell: ${error instanceof Error ? error.message : String(error)}.`;
  return cellEnd({ status: 'error', alive: true, error: plainError('LeanFailed', message) });
}

/** The end of a session that could not be restored. */
export function lostEnd(reason: string): CellEnd {
  return cellEnd({ status: 'error', alive: false, error: plainError('LeanLost', `The session is lost: ${reason}.`) });
}

/** The end of a session whose sandbox is lost. */
export function endOfLoss(loss: SandboxLoss): CellEnd {
  return cellEnd({ ...lossEnd(loss), alive: false });
}
