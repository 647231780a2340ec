import { isDeepStrictEqual } from 'node:util';
import type { NoAnswer } from '../lsp/document.ts';
import { axiomCommands, axiomsOf } from '../verdict/axioms.ts';
import { type Cell, type SessionText, segmentsOf } from './cells.ts';
import { follow, type Scopes } from './outline.ts';
import { type ReportTerms, reportOn, within } from './report.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** The cells of a session with what Lean says of them now. */
export interface Rechecked {
  readonly kind: 'rechecked';
  readonly text: SessionText;
  /** Those whose report is another than before. */
  readonly changed: readonly Cell[];
}

/** Puts the whole text into the document and reports anew on its cells from index `first` on. */
export async function recheck(
  document: SessionDocument,
  text: SessionText,
  first: number,
  terms: Omit<ReportTerms, 'document'>,
): Promise<Rechecked | NoAnswer> {
  const { signal } = terms;
  const segments = segmentsOf(text);
  const names = namesIn(text.cells);
  const asked = [...new Set(names.slice(first).flat())];
  signal.throwIfAborted();
  document.become([...segments, ...(asked.length > 0 ? [axiomCommands(asked)] : [])]);
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const answers = new Map(
    axiomsOf(settled.diagnostics, document.lineOf(segments.length), asked).map((answer) => [answer.name, answer]),
  );
  const cells: Cell[] = text.cells.slice(0, first);
  for (const [index, cell] of text.cells.entries()) {
    if (index < first) continue;
    const diagnostics = within(settled.diagnostics, document.lineOf(index + 1), document.lineOf(index + 2));
    const own = (names[index] ?? []).map((name) => answers.get(name)).filter((answer) => answer !== undefined);
    const said = { diagnostics, answers: own, fatal: settled.fatalAt !== null };
    cells.push({ ...cell, report: await reportOn(cell, index + 1, said, { document, ...terms }) });
  }
  const changed = cells.filter(({ report }, index) => !isDeepStrictEqual(report, text.cells[index]?.report));
  return { kind: 'rechecked', text: { ...text, cells }, changed };
}

/** The names that each cell declares. */
function namesIn(cells: readonly Cell[]): string[][] {
  let scopes: Scopes = [];
  return cells.map(({ outline }) => {
    const found = follow(outline, scopes);
    scopes = found.scopes;
    return [...new Set(found.declared.map(({ name }) => name))];
  });
}
