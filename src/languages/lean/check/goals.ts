import type { LeanDocument } from '../lsp/document.ts';
import type { LeanSorry } from '../report.ts';
import { ENTRY } from '../reportSize.ts';
import { type Region, toRegionPosition } from '../text/position.ts';
import { sorryTokens } from '../text/tokens.ts';

/** The goals, or the expected type, at an offset of the document; null where Lean reports neither. */
export async function goalsAt(
  document: LeanDocument,
  offset: number,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const position = document.table.positionAt(offset);
  // Old servers report an empty list of goals at the `sorry` of `exact sorry`.
  const isSorry = document.text.startsWith('sorry', offset);
  const tactic = await document.plainGoal(position, signal);
  const left = tactic.kind === 'ok' ? (tactic.value?.goals ?? null) : null;
  if (left && (left.length > 0 || !isSorry)) return left;
  const term = await document.plainTermGoal(position, signal);
  return term.kind === 'ok' && term.value ? [term.value.goal] : left;
}

/** Each `sorry` in the region, with its goal while the goals together stay within `limit` UTF-16 units. */
export async function sorriesIn(
  document: LeanDocument,
  region: Region,
  limit: number,
  signal: AbortSignal,
): Promise<LeanSorry[]> {
  const sorries: LeanSorry[] = [];
  let left = limit;
  for (const { offset } of sorryTokens(document.text.slice(region.start, region.end))) {
    const place = region.start + offset;
    const goals = left > 0 ? await goalsAt(document, place, signal) : null;
    const goal = goals?.join('\n\n') ?? null;
    left -= ENTRY + (goal?.length ?? 0);
    sorries.push({ ...toRegionPosition(document.table, region, place), goal });
  }
  return sorries;
}
