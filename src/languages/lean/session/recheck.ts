import { isDeepStrictEqual } from 'node:util';
import { axiomCommands, axiomsOf, CONTROL } from '../check/axioms.ts';
import type { CheckTerms } from '../check/checkCell.ts';
import { declarationsOf, namesWithin } from '../check/declarations.ts';
import { diagnosticsIn } from '../check/diagnostics.ts';
import { follow, type Scopes } from '../check/outline.ts';
import { reportOn } from '../check/reading.ts';
import type { NoAnswer, SettledVersion } from '../lsp/document.ts';
import { type Cell, type SessionText, scopesAfter, segmentsOf } from './cells.ts';

/** The cells of a session with their current reports. */
export interface Rechecked {
  readonly kind: 'rechecked';
  readonly text: SessionText;
  /** The cells whose report changed. */
  readonly changed: readonly Cell[];
}

/** Puts the whole text into the document and makes new reports on its cells, from index `first` on. */
export async function recheck(text: SessionText, first: number, terms: CheckTerms): Promise<Rechecked | NoAnswer> {
  const { document, limit, signal } = terms;
  const { cells } = text;
  let names = namesByOutline(cells);
  let settled = await settledWith(text, names.slice(first).flat(), terms);
  if (settled.kind !== 'settled') return settled;
  const exact = scopesAfter(cells) === null ? names : await namesBySymbols(cells, terms);
  if (!isDeepStrictEqual(exact.slice(first), names.slice(first))) {
    names = exact;
    settled = await settledWith(text, names.slice(first).flat(), terms);
    if (settled.kind !== 'settled') return settled;
  }
  const { table } = document.lean;
  const asked = [CONTROL, ...new Set(names.slice(first).flat())];
  const line = document.lineOf(cells.length + 1);
  const answers = new Map(axiomsOf(settled.diagnostics, line, asked).map((answer) => [answer.name, answer]));
  const now: Cell[] = cells.slice(0, first);
  for (const [index, cell] of cells.entries()) {
    if (index < first) continue;
    const [start, end] = [document.startOf(index + 1), document.startOf(index + 2)];
    const region = { from: start, start, end, origin: cell.origin };
    const reading = {
      region,
      diagnostics: diagnosticsIn(settled.diagnostics, table, region),
      answers: [CONTROL, ...(names[index] ?? [])].flatMap((name) => answers.get(name) ?? []),
      isFatal: settled.fatalAt !== null,
    };
    now.push({ ...cell, report: await reportOn(document.lean, reading, { limit, signal }) });
  }
  const changed = now.filter(({ report }, index) => !isDeepStrictEqual(report, cells[index]?.report));
  return { kind: 'rechecked', text: { ...text, cells: now }, changed };
}

async function settledWith(
  text: SessionText,
  names: readonly string[],
  { document, signal }: CheckTerms,
): Promise<SettledVersion | NoAnswer> {
  if (signal.aborted) return { kind: 'aborted' };
  document.become([...segmentsOf(text), axiomCommands([CONTROL, ...new Set(names)])]);
  return document.settled(signal);
}

/** The names that each cell declares, by its tokens. */
function namesByOutline(cells: readonly Cell[]): string[][] {
  let scopes: Scopes = [];
  return cells.map(({ outline }) => {
    const found = follow(outline, scopes);
    scopes = found.scopes;
    return [...new Set(found.declared.map(({ name }) => name))];
  });
}

/** The names that each cell declares, in the namespaces that Lean's symbols show. */
async function namesBySymbols(cells: readonly Cell[], { document, signal }: CheckTerms): Promise<string[][]> {
  const { table } = document.lean;
  const symbols = await document.lean.documentSymbols(signal);
  const declarations = declarationsOf(symbols.kind === 'ok' ? symbols.value : [], table);
  return cells.map((_, index) => {
    return namesWithin(declarations, table, { start: document.startOf(index + 1), end: document.startOf(index + 2) });
  });
}
