/** A server's entry in a client's file. */
export type Entry = Readonly<Record<string, unknown>>;

/** A file's new text, or why it cannot be edited: what follows the file's name in a sentence. */
export type Edited = { readonly text: string } | { readonly problem: string };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
