import { slices } from '../../../base/slices.ts';
import type { LeanDocument } from '../lsp/document.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import { type CheckReport, EMPTY_REPORT, type LeanMessage } from '../report.ts';
import { ENTRY, fitted } from '../reportSize.ts';
import { type LineTable, type TextRange, toRegionPosition } from '../text/position.ts';
import type { DeclarationAxioms } from './axioms.ts';
import { type CellRegion, readMessages, visible } from './diagnostics.ts';
import { sorriesIn } from './goals.ts';
import { mayHideGap } from './hiddenGaps.ts';
import { factsOf, verdictOf } from './verdict.ts';

/** What Lean says about a cell in one version of its document. */
export interface Reading {
  readonly region: CellRegion;
  /** The diagnostics of the cell's own code, silent ones too. */
  readonly diagnostics: readonly Diagnostic[];
  /** The answer for `CONTROL`, then those for the names that the cell declares; empty when Lean was not asked. */
  readonly answers: readonly DeclarationAxioms[];
  /** The answers for declarations without a name; empty when nothing before the cell is left out. */
  readonly nameless: readonly DeclarationAxioms[];
  /** Lean stopped before the end of the document. */
  readonly isFatal: boolean;
  /** Where in the document Lean stopped without an error, and what that means. */
  readonly stop?: Stop;
}

/** The place at which Lean stops to read, and a sentence about it. */
export interface Stop extends TextRange {
  readonly text: string;
}

/** Whether Lean checked the code to its end and found no error. */
export function isSound({ diagnostics, isFatal, stop }: Reading): boolean {
  return !isFatal && !stop && factsOf(diagnostics).errors === 0;
}

/** Limits of a report. */
export interface ReportTerms {
  /** UTF-16 units that the report may hold. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * The report on a cell. Every verdict is made here: from all diagnostics and answers, whatever the limit cuts. Asks Lean for
 * the goal of each `sorry`.
 */
export async function reportOn(document: LeanDocument, reading: Reading, terms: ReportTerms): Promise<CheckReport> {
  const { region, diagnostics, answers, nameless, isFatal, stop } = reading;
  const { text, table } = document;
  const { limit, signal } = terms;
  const fatal = isFatal || stop !== undefined;
  const hidden = mayHideGap(text.slice(0, region.start), text.slice(region.start, region.end), answers);
  const verdict = verdictOf({ ...factsOf(diagnostics), fatal, hidden, axioms: [...answers, ...nameless] });
  const axioms = isSound(reading) ? answers.slice(1).map(({ name, axioms }) => ({ name, axioms })) : null;
  const shown = visible(diagnostics);
  const messages = await slices.run(readMessages(shown, table, region, limit / ENTRY));
  if (stop) messages.push(stopMessage(stop, table, region));
  const messageCount = shown.length + (stop ? 1 : 0);
  const sorries = await sorriesIn(document, region, limit, signal);
  return fitted({ ...EMPTY_REPORT, verdict, messages, messageCount, sorries, axioms }, limit);
}

function stopMessage({ start, end, text }: Stop, table: LineTable, region: CellRegion): LeanMessage {
  const [from, to] = [toRegionPosition(table, region, start), toRegionPosition(table, region, end)];
  return { severity: 'error', line: from.line, column: from.column, endLine: to.line, endColumn: to.column, text };
}
