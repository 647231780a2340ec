import type { Steps } from '../../../base/slices.ts';
import { type Diagnostic, LeanTag } from '../lsp/messages.ts';
import type { LeanMessage } from '../report.ts';
import { type ImportRange, rangeOfHeaderError } from '../text/importRanges.ts';
import {
  type LineTable,
  type Region,
  type SourcePosition,
  type SourceRange,
  toRegionPosition,
} from '../text/position.ts';

/** The region of a cell's own code, and the text before it whose diagnostics count as the cell's. */
export interface CellRegion extends Region {
  /** The offset from which diagnostics count; at most `start`. */
  readonly from: number;
  /** The document's header, where its errors count. */
  readonly header?: HeaderRegion;
}

/** A document's header that contains the caller's imports. */
export interface HeaderRegion {
  /** The offset in the document at which the header ends. */
  readonly end: number;
  /** The caller's own imports in the caller's text. */
  readonly imports: readonly ImportRange[];
}

/** The diagnostics that start in the region, in their order; the region's end counts only at the end of the document. */
export function diagnosticsIn(diagnostics: readonly Diagnostic[], table: LineTable, region: CellRegion): Diagnostic[] {
  const { from, end } = region;
  const first = table.positionAt(from).line;
  const last = table.positionAt(end).line;
  return diagnostics.filter(({ range: { start } }) => {
    // Only the first and the last line need a look at the column.
    if (first < start.line && start.line < last) return true;
    const offset = table.offsetAt(start);
    return from <= offset && (offset < end || (offset === end && offset === table.text.length));
  });
}

/** The most important severity has the lowest rank. */
export const RANKS: Readonly<Record<LeanMessage['severity'], number>> = {
  error: 0,
  warning: 1,
  information: 2,
  hint: 3,
};

/** The diagnostics that a caller may see. */
export function visible(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter((diagnostic) => !isSilent(diagnostic));
}

/** Visible diagnostics as messages, sorted by position; at most `most` of them, the most important severities first. */
export function* readMessages(
  shown: readonly Diagnostic[],
  table: LineTable,
  region: CellRegion,
  most: number,
): Steps<LeanMessage[]> {
  const messages: LeanMessage[] = [];
  for (const diagnostic of shown.length > most ? byRank(shown).slice(0, most) : shown) {
    messages.push(messageOf(diagnostic, table, region));
    yield;
  }
  return messages.sort(byPlace);
}

function byPlace(a: SourcePosition, b: SourcePosition): number {
  return a.line - b.line || a.column - b.column;
}

/** What visible diagnostics print, sorted by position: at most `most` UTF-16 units as text, and the number of all bytes. */
export function* readPrinted(shown: readonly Diagnostic[], most: number): Steps<Printed> {
  const prints = shown
    .filter((diagnostic) => severityOf(diagnostic) === 'information')
    .sort(({ range: { start: a } }, { range: { start: b } }) => a.line - b.line || a.character - b.character);
  let [text, bytes] = ['', 0];
  for (const { message } of prints) {
    const line = message.endsWith('\n') ? message : `${message}\n`;
    bytes += Buffer.byteLength(line);
    text += line.slice(0, most - text.length);
    yield;
  }
  return { text, bytes };
}

/** What code prints while it is checked. */
export interface Printed {
  /** The part that is kept. */
  readonly text: string;
  readonly bytes: number;
}

function byRank(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const ranked: Diagnostic[][] = [[], [], [], []];
  for (const diagnostic of diagnostics) ranked[RANKS[severityOf(diagnostic)]]?.push(diagnostic);
  return ranked.flat();
}

function messageOf(diagnostic: Diagnostic, table: LineTable, region: CellRegion): LeanMessage {
  const { start, end } = rangeOf(diagnostic, table, region);
  return {
    severity: severityOf(diagnostic),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    text: diagnostic.message,
  };
}

function rangeOf({ range, fullRange = range, message }: Diagnostic, table: LineTable, region: CellRegion): SourceRange {
  const first = table.offsetAt(fullRange.start);
  if (region.header && first < region.header.end) return rangeOfHeaderError(message, region.header.imports);
  return {
    start: toRegionPosition(table, region, first),
    end: toRegionPosition(table, region, table.offsetAt(fullRange.end)),
  };
}

function isSilent({ isSilent, leanTags, message }: Diagnostic): boolean {
  return isSilent === true || (message === '' && (leanTags ?? []).includes(LeanTag.goalsAccomplished));
}

/** The severity; a diagnostic without one counts as an error, so that no verdict is too good. */
export function severityOf({ severity }: Diagnostic): LeanMessage['severity'] {
  switch (severity) {
    case 2:
      return 'warning';
    case 3:
      return 'information';
    case 4:
      return 'hint';
    default:
      return 'error';
  }
}
