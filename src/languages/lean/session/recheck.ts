import { isDeepStrictEqual } from 'node:util';
import { axiomCommands, axiomsOf, CONTROL, type DeclarationAxioms } from '../check/axioms.ts';
import type { CheckTerms } from '../check/checkCell.ts';
import { declarationsOf, namesWithin } from '../check/declarations.ts';
import { diagnosticsIn } from '../check/diagnostics.ts';
import { askNamed, hasGapBefore, newPrefix, withNames } from '../check/nameless.ts';
import { follow, type Scopes } from '../check/outline.ts';
import { reportOn } from '../check/reading.ts';
import type { NoAnswer, SettledVersion } from '../lsp/document.ts';
import { mayBeMisread, unseenKeywords } from '../text/misreading.ts';
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
  const isMisread = cells.some(({ body }) => mayBeMisread('', body));
  const all = { start: document.startOf(1), end: document.startOf(cells.length + 1) };
  const unseen = isMisread ? await unseenKeywords(document.lean, all, signal) : [];
  const exact = scopesAfter(cells) === null && unseen.length === 0 ? names : await namesBySymbols(cells, unseen, terms);
  if (!isDeepStrictEqual(exact.slice(first), names.slice(first))) {
    names = exact;
    settled = await settledWith(text, names.slice(first).flat(), terms);
    if (settled.kind !== 'settled') return settled;
  }
  const { table } = document.lean;
  const asked = [CONTROL, ...new Set(names.slice(first).flat())];
  const line = document.lineOf(cells.length + 1);
  const answers = new Map(axiomsOf(settled.diagnostics, line, asked).map((answer) => [answer.name, answer]));
  const nameless = await askNameless(text, { first, settled, unseen }, terms);
  if (nameless.kind !== 'asked') return nameless;
  // The diagnostics have their positions in this text.
  document.become(segmentsWith(text, names.slice(first).flat()));
  const now: Cell[] = cells.slice(0, first);
  for (const [index, cell] of cells.entries()) {
    if (index < first) continue;
    const [start, end] = [document.startOf(index + 1), document.startOf(index + 2)];
    const region = { from: start, start, end, origin: cell.origin };
    const reading = {
      region,
      diagnostics: diagnosticsIn(settled.diagnostics, table, region),
      answers: [CONTROL, ...(names[index] ?? [])].flatMap((name) => answers.get(name) ?? []),
      nameless: nameless.ofCells[index] ?? [],
      isFatal: settled.fatalAt !== null,
    };
    now.push({ ...cell, report: await reportOn(document.lean, reading, { limit, signal }) });
  }
  const changed = now.filter(({ report }, index) => !isDeepStrictEqual(report, cells[index]?.report));
  return { kind: 'rechecked', text: { ...text, cells: now }, changed };
}

/** The answers for each cell's declarations without a name where they may depend on a gap in an earlier cell. */
async function askNameless(
  text: SessionText,
  { first, settled, unseen }: { first: number; settled: SettledVersion; unseen: readonly number[] },
  terms: CheckTerms,
): Promise<{ readonly kind: 'asked'; readonly ofCells: readonly (readonly DeclarationAxioms[])[] } | NoAnswer> {
  const { document } = terms;
  const prefix = newPrefix();
  let count = 0;
  const named = text.cells.map((cell, index) => {
    const isDoubtful = index >= first && hasGapBefore(settled.diagnostics, document.lineOf(index + 1));
    const start = document.startOf(index + 1);
    const keywords = unseen
      .map((offset) => offset - start)
      .filter((offset) => 0 <= offset && offset < cell.body.length);
    const { body, names } = isDoubtful
      ? withNames(cell.body, { from: 0, prefix, first: count, keywords })
      : { body: cell.body, names: [] };
    count += names.length;
    return { ...cell, body, names };
  });
  if (count === 0) return { kind: 'asked', ofCells: [] };
  const asked = await askNamed(
    segmentsOf({ ...text, cells: named }),
    named.flatMap(({ names }) => names),
    terms,
  );
  if (asked.kind !== 'asked') return asked;
  const answers = new Map(asked.answers.map((answer) => [answer.name, answer]));
  return { kind: 'asked', ofCells: named.map(({ names }) => names.flatMap((name) => answers.get(name) ?? [])) };
}

async function settledWith(
  text: SessionText,
  names: readonly string[],
  { document, signal }: CheckTerms,
): Promise<SettledVersion | NoAnswer> {
  if (signal.aborted) return { kind: 'aborted' };
  document.become(segmentsWith(text, names));
  return document.settled(signal);
}

function segmentsWith(text: SessionText, names: readonly string[]): string[] {
  return [...segmentsOf(text), axiomCommands([CONTROL, ...new Set(names)])];
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

/** The names that each cell declares, in the namespaces that Lean's symbols show; `unseen` are keywords as in `declarationsOf`. */
async function namesBySymbols(
  cells: readonly Cell[],
  unseen: readonly number[],
  { document, signal }: CheckTerms,
): Promise<string[][]> {
  const { table } = document.lean;
  const symbols = await document.lean.documentSymbols(signal);
  const declarations = declarationsOf(symbols.kind === 'ok' ? symbols.value : [], table, unseen);
  return cells.map((_, index) => {
    return namesWithin(declarations, table, { start: document.startOf(index + 1), end: document.startOf(index + 2) });
  });
}
