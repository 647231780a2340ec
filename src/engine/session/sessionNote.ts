import { z } from 'zod';

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
