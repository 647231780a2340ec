import { z } from 'zod';

/** What the agent keeps about the interpreter of a session, for another engine. */
const Note = z.strictObject({
  /** The engine's own. */
  session: z.unknown(),
  /** The cell that was sent and whose answer has not been passed on. */
  cell: z
    .strictObject({
      token: z.string(),
      /** Which request of the process it is, from 1 on, and its bytes. */
      runs: z.int().positive(),
      bytes: z.int().positive(),
    })
    .nullable(),
});
type Note = z.infer<typeof Note>;
export type CellNote = NonNullable<Note['cell']>;

export function formatNote(note: Note): string {
  return JSON.stringify(note);
}

/** Throws when it is not one of `formatNote`. */
export function parseNote(text: string): Note {
  return Note.parse(JSON.parse(text));
}
