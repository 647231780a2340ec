import { z } from 'zod';
import { textHash } from '../../base/textHash.ts';
import type { CellRequest } from '../../languages/language.ts';
import type { RunTerms } from '../run/execute.ts';

/** What a session's sandbox keeps about it for another engine; it changes with every cell. Times since the epoch. */
export const SessionNote = z.strictObject({
  /** Cells of the interpreter, and runs of the session. */
  cells: z.int().nonnegative(),
  runs: z.int().nonnegative(),
  lastUsedAt: z.number(),
  /** `Workspace.mark`. */
  mark: z.string(),
  /** The cell that runs. */
  run: z
    .strictObject({
      runId: z.string(),
      cell: z.string().nullable(),
      /** `textHash` of its code. */
      codeHash: z.string(),
      startedAt: z.number(),
      /** Milliseconds; 0 means no limit. */
      timeoutMs: z.number().nonnegative(),
      outputBytes: z.int().positive(),
      reportFiles: z.boolean(),
    })
    .nullable(),
});
export type SessionNote = z.infer<typeof SessionNote>;
export type RunNote = NonNullable<SessionNote['run']>;

/** The note of a cell that begins now. */
export function runNote(
  { runId, cell, code }: Pick<CellRequest, 'cell' | 'code'> & { readonly runId: string },
  { timeoutMs, outputBytes }: Pick<RunTerms, 'timeoutMs' | 'outputBytes'>,
  reportFiles: boolean,
): RunNote {
  const startedAt = Date.now();
  return { runId, cell: cell ?? null, codeHash: textHash(code), startedAt, timeoutMs, outputBytes, reportFiles };
}
