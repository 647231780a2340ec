import { type Diagnostic, LeanTag, type Position } from '../lsp/messages.ts';
import { type LineTable, type Part, spotInPart } from '../text/position.ts';

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
export interface Span extends Part {
  /** Offset from which on diagnostics count; at most `start`. */
  readonly from: number;
}

/** The diagnostics that begin in `span`, in the order given; its end belongs to it where the document ends there. */
export function diagnosticsIn(diagnostics: readonly Diagnostic[], table: LineTable, span: Span): Diagnostic[] {
  return diagnostics.filter(({ range }) => {
    const offset = table.offsetAt(range.start);
    return span.from <= offset && (offset < span.end || (offset === span.end && offset === table.text.length));
  });
}

/** What a caller sees of the diagnostics in `span`, by position; silent ones are left out. */
export function messagesOf(diagnostics: readonly Diagnostic[], table: LineTable, span: Span): LeanMessage[] {
  const spotOf = (position: Position) => spotInPart(table, span, table.offsetAt(position));
  return diagnosticsIn(diagnostics, table, span)
    .filter((diagnostic) => !isSilent(diagnostic))
    .map((diagnostic) => messageOf(diagnostic, spotOf))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function messageOf(diagnostic: Diagnostic, spotOf: (position: Position) => { line: number; column: number }) {
  const { start, end } = diagnostic.fullRange ?? diagnostic.range;
  const first = spotOf(start);
  const last = spotOf(end);
  return {
    severity: severityOf(diagnostic),
    line: first.line,
    column: first.column,
    endLine: last.line,
    endColumn: last.column,
    text: diagnostic.message,
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
