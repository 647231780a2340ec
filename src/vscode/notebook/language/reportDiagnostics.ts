import type { CheckReport } from '../output/reportSteps.ts';

/** A message at its place in the editor's coordinates: lines from 0, UTF-16 units from 0. */
export interface ReportDiagnostic {
  readonly severity: CheckReport['messages'][number]['severity'];
  readonly start: Spot;
  readonly end: Spot;
  readonly text: string;
}

interface Spot {
  readonly line: number;
  readonly character: number;
}

/** The messages of a report on `code`. */
export function reportDiagnostics({ messages }: CheckReport, code: string): readonly ReportDiagnostic[] {
  const lines = code.split(/\r\n|\r|\n/);
  // The editor refuses places before its first line, and what Lean is told to say can be anywhere.
  const spot = (line: number, column: number) => ({
    line: Math.max(0, line - 1),
    character: utf16Column(lines[line - 1], Math.max(0, column)),
  });
  return messages.map(({ severity, line, column, endLine, endColumn, text }) => ({
    severity,
    start: spot(line, column),
    end: spot(endLine, endColumn),
    text: text.trimEnd(),
  }));
}

/** `column` in code points as UTF-16 units; not beyond the line's end. */
function utf16Column(line = '', column: number): number {
  return [...line].slice(0, column).join('').length;
}
