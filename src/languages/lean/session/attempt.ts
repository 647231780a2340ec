import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CellEnd, CellReport, CellRequest } from '../../language.ts';
import { cellReport, endOf, rejection } from '../ends.ts';
import type { NoAnswer } from '../lsp/document.ts';
import { type CheckReport, EMPTY_REPORT, type LeanMessage } from '../report.ts';
import { DEFAULT_LIMIT, fitted, fittedTogether } from '../reportSize.ts';
import { joinHeaders } from '../text/header.ts';
import { importRanges, rangeOfHeaderError } from '../text/importRanges.ts';
import { type Cell, type Piece, type SessionText, scopesBehind, segmentsOf, withoutMain } from './cells.ts';
import { CellCheck } from './checkCell.ts';
import type { Job } from './job.ts';
import { follow } from './outline.ts';
import { Prints } from './prints.ts';
import { type ProgramEnd, runMain } from './program.ts';
import { type Rechecked, recheck } from './recheck.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** How the run of a cell ended. */
export type AttemptEnd =
  /** `text` is what the session has from now on. */
  | { readonly kind: 'done'; readonly text: SessionText; readonly end: CellEnd }
  /** The session has what it had, and Lean must be told so from the start. */
  | { readonly kind: 'headerFailed'; readonly end: CellEnd }
  | NoAnswer;

/** What an attempt works with. */
export interface AttemptDeps {
  readonly sandbox: Sandbox;
  readonly document: SessionDocument;
  /** What the session has accepted so far. */
  readonly text: SessionText;
  readonly job: Job;
  /** Aborts when the attempt is to stop; what it was about to do is thrown away. */
  readonly signal: AbortSignal;
}

/** The run of one cell. It leaves the document with whatever was in it last. */
export class Attempt {
  readonly #deps: AttemptDeps;
  readonly #piece: Piece;
  readonly #stdin: string;
  readonly #limit: number;
  readonly #notes: string[] = [];
  /** Later cells with another report than before. */
  readonly #later = new Map<string, Cell>();

  constructor(deps: AttemptDeps, piece: Piece, { stdin, outputLimit = DEFAULT_LIMIT }: CellRequest) {
    this.#deps = deps;
    this.#piece = piece;
    this.#stdin = stdin;
    this.#limit = outputLimit;
    if (piece.exited) this.#notes.push('What follows #exit is no part of the cell.');
  }

  /** Throws the signal's reason once that has aborted. */
  async run(): Promise<AttemptEnd> {
    const { text, document } = this.#deps;
    const header = joinHeaders(text.header, this.#piece.header);
    const begun = { ...text, header };
    // A cell that was rejected may have left its header in the document, for the next try.
    const isThere = document.beginsWith(segmentsOf({ header, cells: [] }));
    if (header.text === text.header.text) {
      if (!isThere) document.become(segmentsOf(text));
      return this.#runIn(text);
    }
    const failed = isThere ? null : await this.#beginAnew(begun);
    if (failed) return failed;
    const replayed = await this.#replay(begun);
    return replayed.kind === 'rechecked' ? this.#runIn(replayed.text) : replayed;
  }

  /** Starts Lean's worker with another header, and what was accepted behind it; null when all went well. */
  async #beginAnew(text: SessionText): Promise<AttemptEnd | null> {
    const { document, signal } = this.#deps;
    signal.throwIfAborted();
    document.reopen(segmentsOf(text));
    const settled = await document.lean.settled(signal);
    if (settled.kind === 'unchecked') return this.#headerFailed([]);
    if (settled.kind !== 'settled') return settled;
    const lines = document.lineOf(1);
    const wrong = settled.diagnostics.filter(
      ({ range, severity }) => range.start.line < lines && (severity ?? 1) === 1,
    );
    const isWrong = wrong.length > 0 || settled.fatalAt !== null;
    return isWrong ? this.#headerFailed(wrong.map(({ message }) => message)) : null;
  }

  /** What was accepted, checked again behind another header. */
  async #replay(text: SessionText): Promise<Rechecked | NoAnswer> {
    if (text.cells.length === 0) return { kind: 'rechecked', text, changed: [] };
    this.#notes.push(`The session began anew with the header of this cell; its ${counted(text.cells)} checked again.`);
    const rechecked = await this.#recheck(text, 0);
    if (rechecked.kind === 'rechecked') this.#tellLater(rechecked.changed);
    return rechecked;
  }

  #recheck(text: SessionText, first: number): Promise<Rechecked | NoAnswer> {
    const { document, signal } = this.#deps;
    return recheck(document, text, first, { limit: this.#limit, signal });
  }

  #headerFailed(errors: readonly string[]): AttemptEnd {
    const imports = importRanges(this.#piece.code, this.#piece.header);
    const messages = errors.map((text): LeanMessage => {
      const { start, end } = rangeOfHeaderError(text, imports);
      return { severity: 'error', ...start, endLine: end.line, endColumn: end.column, text };
    });
    const report = { ...EMPTY_REPORT, messages, messageCount: messages.length };
    return { kind: 'headerFailed', end: rejected(fitted(report, this.#limit)) };
  }

  async #runIn(text: SessionText): Promise<AttemptEnd> {
    const { document, signal } = this.#deps;
    const at = text.cells.findIndex(({ id }) => id === this.#piece.id);
    const index = at < 0 ? text.cells.length : at;
    // The cell's own `main` goes with its old text; another cell's makes room for the new one.
    const others = this.#declaresMain(text.cells.slice(0, index)) ? withoutMain(text.cells) : text.cells;
    const before = others.slice(0, index);
    const segments = segmentsOf({ ...text, cells: before });
    const candidate = { piece: this.#piece, before: segments, scopes: scopesBehind(before) };
    const watching = this.#passOnPrints(segments);
    const checked = await new CellCheck(candidate, { document, limit: this.#limit, signal }).run();
    watching.dispose();
    if (checked.kind !== 'checked') return checked;
    const { report, parted, main } = checked;
    if (report.verdict === 'rejected') return { kind: 'done', text: this.#deps.text, end: rejected(report) };
    const cell: Cell = { ...this.#piece, parted, main, report };
    const cells = [...before, cell, ...others.slice(index + 1)];
    return this.#accept({ ...text, cells }, cell, firstToRecheck(text.cells, others, index));
  }

  /** Looks at the cells that may say something else now, and runs the cell's program. */
  async #accept(text: SessionText, cell: Cell, first: number): Promise<AttemptEnd> {
    const rest = text.cells.slice(first).some(({ id }) => id !== cell.id);
    const rechecked = rest ? await this.#recheck(text, first) : null;
    if (rechecked && rechecked.kind !== 'rechecked') return rechecked;
    if (rechecked) this.#tellLater(rechecked.changed.filter(({ id }) => id !== cell.id));
    const kept = rechecked?.text ?? text;
    const ran = cell.main ? await this.#runMain(kept) : null;
    if (ran && ran.kind !== 'ended') return ran;
    const { status, error, exitCode } = ran ?? { status: 'ok' as const, error: null, exitCode: null };
    return {
      kind: 'done',
      text: kept,
      end: endOf({ status, error, exitCode, alive: true, report: this.#full(cell.report) }),
    };
  }

  #runMain(text: SessionText): Promise<ProgramEnd | NoAnswer> {
    const { sandbox, document, job, signal } = this.#deps;
    const segments = segmentsOf(text);
    const isSound = text.cells.every(({ report }) => report.verdict !== 'rejected');
    return runMain({ sandbox, document, segments, isSound, stdin: this.#stdin, job, limit: this.#limit, signal });
  }

  #declaresMain(before: readonly Cell[]): boolean {
    const { declared } = follow(this.#piece.outline, scopesBehind(before));
    return declared.some(({ name, runnable }) => name === 'main' && runnable);
  }

  /** What the cell prints is passed on as Lean tells of it. */
  #passOnPrints(before: readonly string[]) {
    const { document, job } = this.#deps;
    const first = before.reduce((lines, segment) => lines + feedsIn(segment), 0);
    const prints = new Prints({ first, end: first + feedsIn(this.#piece.body) + 1 }, job.say);
    return document.lean.onDiagnostics((published) => prints.take(published));
  }

  #tellLater(changed: readonly Cell[]): void {
    for (const cell of changed) this.#later.set(cell.id, cell);
    const broken = changed.filter(({ report }) => report.verdict === 'rejected').map(({ id }) => id);
    if (broken.length === 0) return;
    const whose = broken.length === 1 ? `Cell ${broken[0]} has` : `The cells ${broken.join(', ')} have`;
    this.#notes.push(`${whose} errors now; mending what they rest on mends them.`);
  }

  #full(own: CheckReport): CellReport {
    const later = [...this.#later.values()];
    const [report = own, ...reports] = fittedTogether([own, ...later.map(({ report }) => report)], this.#limit);
    return {
      ...report,
      notes: this.#notes,
      later: later.map(({ id, report }, index) => ({ cell: id, report: reports[index] ?? report })),
    };
  }
}

/**
 * The index of the first cell that may say something else now that the one at `index` is new. A cell whose program was
 * blanked has had its say.
 */
function firstToRecheck(before: readonly Cell[], now: readonly Cell[], index: number): number {
  const blanked = now.findIndex(({ body }, at) => body !== before[at]?.body);
  return blanked < 0 ? index : Math.min(blanked + 1, index);
}

/** The end of a cell that changed nothing. */
function rejected(report: CheckReport): CellEnd {
  return endOf({ status: 'error', alive: true, error: rejection(report), report: cellReport(report) });
}

function counted(cells: readonly Cell[]): string {
  return cells.length === 1 ? 'cell was' : `${cells.length} cells were`;
}

function feedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
