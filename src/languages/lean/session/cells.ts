import type { CheckReport } from '../report.ts';
import { exitIn } from '../text/exit.ts';
import { type Header, type ParsedHeader, parseHeader } from '../text/header.ts';
import { LineTable, type SourcePosition } from '../text/position.ts';
import { tokensOf } from '../text/tokens.ts';
import { prefixOf } from '../worker/worker.ts';
import { follow, type OutlineEvent, outlineOf, type Scopes } from './outline.ts';

/** Code for a session, before Lean has seen it. */
export interface Piece {
  readonly id: string;
  /** The caller's, with line feeds alone. */
  readonly code: string;
  readonly header: ParsedHeader;
  /** What stands in the document: the code behind its header. */
  readonly body: string;
  /** Where the body begins in the code. */
  readonly origin: SourcePosition;
  readonly outline: readonly OutlineEvent[];
  /** The code goes on behind an `#exit`. */
  readonly exited: boolean;
}

/** UTF-16 offsets in a cell's body. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A piece that Lean has accepted. */
export interface Cell extends Piece {
  /** Whether the cell is parted from what follows; what cannot be parted is rare, and stands as it is. */
  readonly parted: boolean;
  /** Its program, unless a later one has taken its place. */
  readonly main: Stretch | null;
  readonly report: CheckReport;
}

/** All that a session has accepted: what Lean's document is made of. */
export interface SessionText {
  readonly header: Header;
  readonly cells: readonly Cell[];
}

/**
 * A command that does nothing, behind each cell: what comes next can neither go on with the cell's last command nor make
 * Lean evaluate that again. It is one command, because old servers repeat all diagnostics for each, and it sets an option
 * that nobody uses to what it is; a server that has no such option goes without.
 */
export const PARTING = 'set_option trace.PrettyPrinter.format false\n';

export function pieceOf(id: string, code: string): Piece {
  const header = parseHeader(code);
  const exit = exitIn(code, header.end);
  // Behind it Lean reads nothing, so that a session could not go on.
  const upToExit = code.slice(header.end, exit?.start);
  return {
    id,
    code,
    header,
    body: upToExit,
    origin: new LineTable(code).sourcePositionAt(header.end),
    outline: outlineOf(upToExit),
    exited: exit !== null && !exit.isLast,
  };
}

/** The parts of a document that has this text: the header, then each cell. */
export function segmentsOf({ header, cells }: SessionText): string[] {
  return [prefixOf(header.text), ...cells.map(segmentOf)];
}

/** A cell as it stands in the document; it ends with a line feed. */
export function segmentOf({ body, parted }: Pick<Cell, 'body' | 'parted'>): string {
  return `${lineOf(body)}${parted ? PARTING : ''}`;
}

/** The body with a line feed at its end. */
export function lineOf(body: string): string {
  return body.endsWith('\n') ? body : `${body}\n`;
}

/** The scopes that are open behind these cells. */
export function scopesBehind(cells: readonly Cell[]): Scopes {
  return cells.reduce((scopes: Scopes, { outline }) => follow(outline, scopes).scopes, []);
}

/** Whether `PARTING` can follow: `open A in` and its like would take it for their own command. */
export function canBeParted(body: string): boolean {
  const last = tokensOf(body).at(-1);
  return last === undefined || body.slice(last.start, last.end) !== 'in';
}

/** The cells with their program blanked, where they have one; coordinates hold. */
export function withoutMain(cells: readonly Cell[]): Cell[] {
  return cells.map((cell) => {
    if (!cell.main) return cell;
    const { from, to } = cell.main;
    const body = cell.body.slice(0, from) + blanked(cell.body.slice(from, to)) + cell.body.slice(to);
    return { ...cell, body, main: null };
  });
}

/** White space of the same shape; of two units where a character has two. */
function blanked(code: string): string {
  return code.replace(/[^\n]/g, ' ');
}
