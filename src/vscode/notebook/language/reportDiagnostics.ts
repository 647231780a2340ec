import type { CodeReport } from '../../../engine/types.ts';

/** A message with VS Code's positions: lines and UTF-16 columns from 0. */
export interface ReportDiagnostic {
  readonly severity: CodeReport['messages'][number]['severity'];
  readonly start: EditorPosition;
  readonly end: EditorPosition;
  readonly text: string;
}

interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

/** The diagnostics of a report on `code`. */
export function reportDiagnostics({ messages }: CodeReport, code: string): readonly ReportDiagnostic[] {
  const lines = code.split(/\r\n|\r|\n/);
  // VS Code rejects negative positions, and user code can make a checker report any position.
  const position = (line: number, column: number) => ({
    line: Math.max(0, line - 1),
    character: utf16Column(lines[line - 1], Math.max(0, column)),
  });
  return messages.map(({ severity, line, column, endLine, endColumn, text }) => ({
    severity,
    start: position(line, column),
    end: position(endLine, endColumn),
    text: text.trimEnd(),
  }));
}

/** Converts a column from code points to UTF-16 units; at most the end of the line. */
function utf16Column(line = '', column: number): number {
  return [...line].slice(0, column).join('').length;
}
