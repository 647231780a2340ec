import { textHash } from '../../../base/textHash.ts';
import type { ContinuedRun } from '../../../engine/types.ts';

/** A cell that has run, as another window can find it: after a reload cells have other addresses. */
export interface SavedCell {
  readonly index: number;
  readonly name: string;
  /** Of its text. */
  readonly hash: string;
}

/** The cells with a name. `textOf` returns a cell's text. */
export function savedCells(names: readonly (string | undefined)[], textOf: (index: number) => string): SavedCell[] {
  return names.flatMap((name, index) => (name === undefined ? [] : [{ index, name, hash: textHash(textOf(index)) }]));
}

/**
 * The index of each saved cell among cells with these texts, by name: its old place, if it has the same text there, then
 * another cell with that text, then its old place whatever it has now.
 */
export function findCells(saved: readonly SavedCell[], texts: readonly string[]): ReadonlyMap<string, number> {
  const hashes = texts.map(textHash);
  const found = new Map<string, number>();
  const taken = new Set<number>();
  const take = ({ name }: SavedCell, index: number) => {
    if (index < 0 || index >= texts.length || taken.has(index) || found.has(name)) return;
    found.set(name, index);
    taken.add(index);
  };
  for (const cell of saved) if (hashes[cell.index] === cell.hash) take(cell, cell.index);
  for (const cell of saved)
    take(
      cell,
      hashes.findIndex((hash, index) => hash === cell.hash && !taken.has(index)),
    );
  for (const cell of saved) take(cell, cell.index);
  return found;
}

/**
 * `found` with the cell of a run. A browser that reloads may lose what was saved a moment before: then it is a cell without
 * a name that has the run's code.
 */
export function withRun(
  found: ReadonlyMap<string, number>,
  { cell, codeHash }: Pick<ContinuedRun, 'cell' | 'codeHash'>,
  texts: readonly string[],
): ReadonlyMap<string, number> {
  if (cell === null || found.has(cell)) return found;
  const taken = new Set(found.values());
  const index = texts.findIndex((text, place) => !taken.has(place) && textHash(text) === codeHash);
  return index < 0 ? found : new Map([...found, [cell, index]]);
}
