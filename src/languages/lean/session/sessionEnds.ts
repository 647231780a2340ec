import type { SandboxLoss } from '../../../sandbox/sandbox.ts';
import { lossEnd, plainError } from '../../exit.ts';
import type { CellEnd, CellError } from '../../language.ts';
import { endOf } from '../ends.ts';
import { FLOOD } from '../flood.ts';
import type { LeanSettings } from '../settings.ts';
import { importRefusal } from '../text/importPolicy.ts';

/** What is said of a session that outlives its cell; goes behind a sentence. */
export const KEPT = ' Everything before this cell is kept.';

/** Why a session does not take this code, whatever Lean would say of it; null when it does. */
export function refusalOf(code: string, settings: LeanSettings): CellError | null {
  if (!/\p{Surrogate}/u.test(code)) return importRefusal(code, settings);
  return plainError('InvalidCode', 'The code has half of a surrogate pair, which is no character.');
}

/** The end of a cell that somebody interrupted. */
export function interruptedEnd(): CellEnd {
  const error = plainError('Interrupted', `The cell was interrupted.${KEPT}`);
  return endOf({ status: 'interrupted', alive: true, error });
}

/** The end of a cell of which Lean says too much. */
export function floodEnd(): CellEnd {
  const error = plainError('TooMuchOutput', `With this cell, Lean ${FLOOD}.${KEPT}`);
  return endOf({ status: 'error', alive: true, error });
}

/** The end of a cell that could not be run for a reason that is not the cell's. */
export function failedEnd(error: unknown): CellEnd {
  const message = `Lean could not run the cell: ${error instanceof Error ? error.message : String(error)}.`;
  return endOf({ status: 'error', alive: true, error: plainError('LeanFailed', message) });
}

/** The end of a session that could not be restored. */
export function lostEnd(reason: string): CellEnd {
  return endOf({ status: 'error', alive: false, error: plainError('LeanLost', `The session is lost: ${reason}.`) });
}

/** The end of a session whose sandbox has gone. */
export function endOfLoss(loss: SandboxLoss): CellEnd {
  return endOf({ ...lossEnd(loss), alive: false });
}
