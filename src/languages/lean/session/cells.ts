import { type CellSource, cellSource, segmentOf } from '../check/cellSource.ts';
import { follow, type Scopes, usesScopes } from '../check/outline.ts';
import type { CheckReport } from '../report.ts';
import { exitIn } from '../text/exit.ts';
import { type Header, type ParsedHeader, parseHeader } from '../text/header.ts';
import { LineTable, type TextRange } from '../text/position.ts';
import { prefixOf } from '../worker/worker.ts';

/** The code of a cell before Lean has checked it. */
export interface NewCell extends CellSource {
  readonly id: string;
  /** The caller's code, with line feeds only. */
  readonly code: string;
  readonly header: ParsedHeader;
  /** Code follows an `#exit`. */
  readonly exited: boolean;
}

/** A cell that the session has accepted. */
export interface Cell extends NewCell {
  /** Whether a separator follows the cell; a cell that cannot have one is rare, and stands without. */
  readonly hasSeparator: boolean;
  /** Its program, as a range of its body, until a later program replaces it. */
  readonly main: TextRange | null;
  readonly report: CheckReport;
}

/** Everything that a session has accepted: the content of Lean's document. */
export interface SessionText {
  readonly header: Header;
  readonly cells: readonly Cell[];
}

/** A cell with this code, with line feeds only. */
export function newCell(id: string, code: string): NewCell {
  const header = parseHeader(code);
  const exit = exitIn(code, header.end);
  // Lean reads nothing after `#exit`, so no later cell could follow it.
  const body = code.slice(header.end, exit?.start);
  return {
    ...cellSource(body, 0, new LineTable(code).sourcePositionAt(header.end)),
    ...{ id, code, header },
    exited: exit !== null && !exit.isLast,
  };
}

/** The segments of the session's document: the header, then each cell. */
export function segmentsOf({ header, cells }: SessionText): string[] {
  return [prefixOf(header.text), ...cells.map(segmentOf)];
}

/** The scopes that are open after these cells; null when no cell opens or closes one. */
export function scopesAfter(cells: readonly Cell[]): Scopes | null {
  if (!cells.some(({ outline }) => usesScopes(outline))) return null;
  return cells.reduce((scopes: Scopes, { outline }) => follow(outline, scopes).scopes, []);
}

/** The cells with each program replaced by white space, so that positions stay valid. */
export function withoutMain(cells: readonly Cell[]): Cell[] {
  return cells.map((cell) => {
    if (!cell.main) return cell;
    const { start, end } = cell.main;
    const body = cell.body.slice(0, start) + blanked(cell.body.slice(start, end)) + cell.body.slice(end);
    return { ...cell, body, main: null };
  });
}

/** White space of the same length and with the same lines. */
function blanked(code: string): string {
  return code.replace(/[^\n]/g, ' ');
}
