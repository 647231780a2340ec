import type { Steps } from '../../../base/slices.ts';
import { type Diagnostic, LeanTag } from '../lsp/messages.ts';
import { type ImportRange, rangeOfHeaderError } from '../text/importRanges.ts';
import {
  type LineTable,
  type Region,
  type SourcePosition,
  type SourceRange,
  toRegionPosition,
} from '../text/position.ts';

/** A message of Lean in the caller's coordinates: lines from 1, columns from 0 in code points. */
export interface LeanMessage {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

/** A proof left out, with its goal where Lean told one. */
export interface LeanSorry {
  readonly line: number;
  readonly column: number;
  readonly goal: string | null;
}

/** A part of the document and the stretch before it whose diagnostics are its own, as those of its header are. */
export interface Span extends Region {
  /** Offset from which on diagnostics count; at most `start`. */
  readonly from: number;
  /** The document's header, where errors of it count. */
  readonly header?: HeaderSpan;
}

/** A header that was made of a caller's. */
export interface HeaderSpan {
  /** Offset behind it in the document. */
  readonly end: number;
  /** Where the caller's own imports stand in the caller's text. */
  readonly imports: readonly ImportRange[];
}

/** The diagnostics that begin in `span`, in the order given; its end belongs to it where the document ends there. */
export function diagnosticsIn(diagnostics: readonly Diagnostic[], table: LineTable, span: Span): Diagnostic[] {
  const first = table.positionAt(span.from).line;
  const last = table.positionAt(span.end).line;
  return diagnostics.filter(({ range: { start } }) => {
    // Most are in lines of the span's own; places are looked at where its edges are.
    if (first < start.line && start.line < last) return true;
    const offset = table.offsetAt(start);
    return span.from <= offset && (offset < span.end || (offset === span.end && offset === table.text.length));
  });
}

/** What matters most has the lowest rank. */
export const RANKS: Readonly<Record<LeanMessage['severity'], number>> = {
  error: 0,
  warning: 1,
  information: 2,
  hint: 3,
};

/** The diagnostics in `span` that a caller may see. */
export function visibleIn(diagnostics: readonly Diagnostic[], table: LineTable, span: Span): Diagnostic[] {
  return diagnosticsIn(diagnostics, table, span).filter((diagnostic) => !isSilent(diagnostic));
}

/** Visible diagnostics as messages, by position; where they are more than `most`, what matters most. */
export function* readMessages(
  visible: readonly Diagnostic[],
  table: LineTable,
  span: Span,
  most: number,
): Steps<LeanMessage[]> {
  const messages: LeanMessage[] = [];
  for (const diagnostic of visible.length > most ? byRank(visible).slice(0, most) : visible) {
    messages.push(messageOf(diagnostic, table, span));
    yield;
  }
  return messages.sort(byPlace);
}

function byPlace(a: SourcePosition, b: SourcePosition): number {
  return a.line - b.line || a.column - b.column;
}

/** What visible diagnostics print, in order of place: at most `most` UTF-16 units of it, and all its bytes counted. */
export function* readPrinted(visible: readonly Diagnostic[], most: number): Steps<Printed> {
  const prints = visible
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

/** What code has printed while it was checked. */
export interface Printed {
  /** As much of it as is kept. */
  readonly text: string;
  readonly bytes: number;
}

function byRank(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const ranked: Diagnostic[][] = [[], [], [], []];
  for (const diagnostic of diagnostics) ranked[RANKS[severityOf(diagnostic)]]?.push(diagnostic);
  return ranked.flat();
}

function messageOf(diagnostic: Diagnostic, table: LineTable, span: Span): LeanMessage {
  const { start, end } = rangeOf(diagnostic, table, span);
  return {
    severity: severityOf(diagnostic),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    text: diagnostic.message,
  };
}

function rangeOf({ range, fullRange = range, message }: Diagnostic, table: LineTable, span: Span): SourceRange {
  const first = table.offsetAt(fullRange.start);
  if (span.header && first < span.header.end) return rangeOfHeaderError(message, span.header.imports);
  return {
    start: toRegionPosition(table, span, first),
    end: toRegionPosition(table, span, table.offsetAt(fullRange.end)),
  };
}

function isSilent({ isSilent, leanTags, message }: Diagnostic): boolean {
  return isSilent === true || (message === '' && (leanTags ?? []).includes(LeanTag.goalsAccomplished));
}

/** One without a severity is an error: the protocol leaves it to the client, and a verdict must not be too good. */
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
