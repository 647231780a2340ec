import { slices } from '../../../base/slices.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import { type CheckReport, EMPTY_REPORT } from '../report.ts';
import { ENTRY, fitted } from '../reportSize.ts';
import type { DeclarationAxioms } from '../verdict/axioms.ts';
import { mayHideSorry } from '../verdict/hidden.ts';
import { readMessages, type Span, visibleIn } from '../verdict/report.ts';
import { factsOf, verdictOf } from '../verdict/verdict.ts';
import { sorriesOf } from '../worker/check.ts';
import { lineOf, type Piece } from './cells.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** What Lean said of one piece of a document. */
export interface Said {
  /** Those that begin in its lines. */
  readonly diagnostics: readonly Diagnostic[];
  /** What its declarations rest on; empty where nothing was asked. */
  readonly answers: readonly DeclarationAxioms[];
  /** Lean stopped before the document's end. */
  readonly fatal: boolean;
}

/** The diagnostics that begin in the lines from `first` on and before `end`. */
export function within(diagnostics: readonly Diagnostic[], first: number, end: number): Diagnostic[] {
  return diagnostics.filter(({ range: { start } }) => first <= start.line && start.line < end);
}

/** Whether Lean went through it and found no error. */
export function isSound({ diagnostics, fatal }: Said): boolean {
  return !fatal && factsOf(diagnostics).errors === 0;
}

/** What a report is made for. */
export interface ReportTerms {
  readonly document: SessionDocument;
  /** UTF-16 units kept of it. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The report on the piece that is the document's segment `index`; asks for the goals of proofs that it leaves out. */
export async function reportOn(
  { body, origin }: Piece,
  index: number,
  said: Said,
  { document, limit, signal }: ReportTerms,
): Promise<CheckReport> {
  const start = document.startOf(index);
  const span: Span = { from: start, start, end: start + lineOf(body).length, origin };
  const visible = visibleIn(said.diagnostics, document.lean.table, span);
  const facts = factsOf(said.diagnostics);
  const hidden = mayHideSorry(document.lean.text.slice(0, start), body, said.answers);
  const messages = await slices.run(readMessages(visible, document.lean.table, span, limit / ENTRY));
  const messageCount = visible.length;
  const verdict = verdictOf({ ...facts, complete: true, fatal: said.fatal, hidden, axioms: said.answers });
  const axioms = isSound(said) ? said.answers.map(({ name, axioms: list }) => ({ name, axioms: list })) : null;
  const sorries = await sorriesOf({ document: document.lean, span }, limit, signal);
  return fitted({ ...EMPTY_REPORT, verdict, messages, messageCount, sorries, axioms }, limit);
}
