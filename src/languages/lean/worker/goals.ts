import type { LeanDocument } from '../lsp/document.ts';

/** What is to be proved, or the type that is expected, at an offset of the document; null where Lean knows of nothing. */
export async function goalsAt(
  document: LeanDocument,
  offset: number,
  signal?: AbortSignal,
): Promise<readonly string[] | null> {
  const position = document.table.positionAt(offset);
  // Old servers say of the one in `exact sorry` that nothing is left to prove there.
  const isSorry = document.text.startsWith('sorry', offset);
  const tactic = await document.plainGoal(position, signal);
  const left = tactic.kind === 'ok' ? (tactic.value?.goals ?? null) : null;
  if (left && (left.length > 0 || !isSorry)) return left;
  const term = await document.plainTermGoal(position, signal);
  return term.kind === 'ok' && term.value ? [term.value.goal] : left;
}
