import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd } from '../../exit.ts';
import type { CellEnd, CellRequest } from '../../language.ts';
import { withLastLineFeed } from '../check/cellSource.ts';
import { checkCell } from '../check/checkCell.ts';
import { follow } from '../check/outline.ts';
import { NOTHING_PUBLISHED, type SegmentedDocument } from '../check/segmentedDocument.ts';
import { cellReport, rejection } from '../ends.ts';
import type { NoAnswer } from '../lsp/document.ts';
import { type ProgramEnd, runMain } from '../program/runMain.ts';
import { type CheckReport, EMPTY_REPORT, type LeanMessage, type LeanReport } from '../report.ts';
import { DEFAULT_LIMIT, fitted, fittedTogether } from '../reportSize.ts';
import { joinHeaders } from '../text/header.ts';
import { importRanges, rangeOfHeaderError } from '../text/importRanges.ts';
import { type Cell, type NewCell, type SessionText, scopesAfter, segmentsOf, withoutMain } from './cells.ts';
import type { Job } from './job.ts';
import { PrintStream } from './printStream.ts';
import { type Rechecked, recheck } from './recheck.ts';

/** How the run of a cell ended. */
export type CellRunEnd =
  /** `text` is the content of the session from now on. */
  | { readonly kind: 'done'; readonly text: SessionText; readonly end: CellEnd }
  /** The session keeps its content, and the document has to be reopened with it. */
  | { readonly kind: 'headerFailed'; readonly end: CellEnd }
  | NoAnswer;

/** What the run of a cell uses. */
export interface CellRunDeps {
  readonly sandbox: Sandbox;
  readonly document: SegmentedDocument;
  /** Everything that the session has accepted so far. */
  readonly text: SessionText;
  readonly job: Job;
  /** Stops the run, which then ends as `aborted`. */
  readonly signal: AbortSignal;
}

/** Runs one cell. Afterwards the document holds whatever was checked last. */
export class CellRun {
  readonly #deps: CellRunDeps;
  readonly #cell: NewCell;
  readonly #stdin: string;
  readonly #limit: number;
  readonly #notes: string[] = [];
  /** Cells that were checked again and whose report changed. */
  readonly #rechecked = new Map<string, Cell>();

  constructor(deps: CellRunDeps, cell: NewCell, { stdin, outputLimit = DEFAULT_LIMIT }: CellRequest) {
    this.#deps = deps;
    this.#cell = cell;
    this.#stdin = stdin;
    this.#limit = outputLimit;
    if (cell.exited) this.#notes.push('What follows #exit is no part of the cell.');
  }

  async run(): Promise<CellRunEnd> {
    const { text, document } = this.#deps;
    const header = joinHeaders(text.header, this.#cell.header);
    const restarted = { ...text, header };
    // A rejected cell may have left its header in the document, for the next run.
    const isThere = document.beginsWith(segmentsOf({ header, cells: [] }));
    if (header.text === text.header.text) {
      if (!isThere) document.become(segmentsOf(text));
      return this.#runIn(text);
    }
    const failed = isThere ? null : await this.#restartWithHeader(restarted);
    if (failed) return failed;
    const replayed = await this.#replay(restarted);
    return replayed.kind === 'rechecked' ? this.#runIn(replayed.text) : replayed;
  }

  /** Restarts Lean's process for the document with another header before the accepted cells; null when the header is fine. */
  async #restartWithHeader(text: SessionText): Promise<CellRunEnd | null> {
    const { document, signal } = this.#deps;
    if (signal.aborted) return { kind: 'aborted' };
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

  /** Checks the accepted cells again after another header. */
  async #replay(text: SessionText): Promise<Rechecked | NoAnswer> {
    if (text.cells.length === 0) return { kind: 'rechecked', text, changed: [] };
    this.#notes.push(`The session restarted with the header of this cell; its ${counted(text.cells)} checked again.`);
    const rechecked = await this.#recheck(text, 0);
    if (rechecked.kind === 'rechecked') this.#recordRechecked(rechecked.changed);
    return rechecked;
  }

  #recheck(text: SessionText, first: number): Promise<Rechecked | NoAnswer> {
    const { document, signal } = this.#deps;
    return recheck(text, first, { document, limit: this.#limit, signal });
  }

  #headerFailed(errors: readonly string[]): CellRunEnd {
    const imports = importRanges(this.#cell.code, this.#cell.header);
    const messages = errors.map((text): LeanMessage => {
      const { start, end } = rangeOfHeaderError(text, imports);
      return { severity: 'error', ...start, endLine: end.line, endColumn: end.column, text };
    });
    const report = { ...EMPTY_REPORT, messages, messageCount: messages.length };
    return { kind: 'headerFailed', end: rejected(fitted(report, this.#limit)) };
  }

  async #runIn(text: SessionText): Promise<CellRunEnd> {
    const { document, signal } = this.#deps;
    const at = text.cells.findIndex(({ id }) => id === this.#cell.id);
    const index = at < 0 ? text.cells.length : at;
    // The cell's own `main` goes with its old text; a new one replaces the one of another cell.
    const others = this.#declaresMain(text.cells.slice(0, index)) ? withoutMain(text.cells) : text.cells;
    const before = others.slice(0, index);
    const segments = segmentsOf({ ...text, cells: before });
    const toCheck = { source: this.#cell, before: segments, scopes: scopesAfter(before), isContinued: true as const };
    const watching = this.#passOnPrints(segments);
    const checked = await checkCell(toCheck, { document, limit: this.#limit, signal });
    watching.dispose();
    if (checked.kind === 'unchecked') return NOTHING_PUBLISHED;
    if (checked.kind !== 'checked') return checked;
    const { report, hasSeparator, main } = checked;
    if (report.verdict === 'rejected') return { kind: 'done', text: this.#deps.text, end: rejected(report) };
    const cell: Cell = { ...this.#cell, hasSeparator, main, report };
    const cells = [...before, cell, ...others.slice(index + 1)];
    return this.#accept({ ...text, cells }, cell, firstToRecheck(text.cells, others, index));
  }

  /** Checks the cells that the new one may affect, and runs the cell's program. */
  async #accept(text: SessionText, cell: Cell, first: number): Promise<CellRunEnd> {
    const rest = text.cells.slice(first).some(({ id }) => id !== cell.id);
    const rechecked = rest ? await this.#recheck(text, first) : null;
    if (rechecked && rechecked.kind !== 'rechecked') return rechecked;
    if (rechecked) this.#recordRechecked(rechecked.changed.filter(({ id }) => id !== cell.id));
    const kept = rechecked?.text ?? text;
    const ran = cell.main ? await this.#runMain(kept) : null;
    if (ran && ran.kind !== 'ended') return ran;
    const { status, error, exitCode } = ran ?? { status: 'ok' as const, error: null, exitCode: null };
    return {
      kind: 'done',
      text: kept,
      end: cellEnd({ status, error, exitCode, alive: true, report: this.#full(cell.report) }),
    };
  }

  #runMain(text: SessionText): Promise<ProgramEnd | NoAnswer> {
    const { sandbox, document, job, signal } = this.#deps;
    const segments = segmentsOf(text);
    const isSound = text.cells.every(({ report }) => report.verdict !== 'rejected');
    return runMain({
      sandbox,
      document,
      segments,
      isSound,
      stdin: this.#stdin,
      output: job,
      limit: this.#limit,
      signal,
    });
  }

  #declaresMain(before: readonly Cell[]): boolean {
    const { declared } = follow(this.#cell.outline, scopesAfter(before) ?? []);
    return declared.some(({ name, runnable }) => name === 'main' && runnable);
  }

  /** Passes on what the cell prints, as Lean reports it. */
  #passOnPrints(before: readonly string[]) {
    const { document, job } = this.#deps;
    const first = lineFeedsIn(before.join(''));
    const prints = new PrintStream({ first, end: first + lineFeedsIn(withLastLineFeed(this.#cell.body)) }, job.say);
    return document.lean.onDiagnostics((published) => prints.take(published));
  }

  #recordRechecked(changed: readonly Cell[]): void {
    for (const cell of changed) this.#rechecked.set(cell.id, cell);
    const broken = changed.filter(({ report }) => report.verdict === 'rejected').map(({ id }) => id);
    if (broken.length === 0) return;
    const note =
      broken.length === 1
        ? `Cell ${broken[0]} has errors now; fix the code that it depends on.`
        : `The cells ${broken.join(', ')} have errors now; fix the code that they depend on.`;
    this.#notes.push(note);
  }

  #full(own: CheckReport): LeanReport {
    const rechecked = [...this.#rechecked.values()];
    const [report = own, ...reports] = fittedTogether([own, ...rechecked.map(({ report }) => report)], this.#limit);
    return {
      ...report,
      language: 'lean',
      notes: this.#notes,
      rechecked: rechecked.map(({ id, report }, index) => ({ cell: id, report: reports[index] ?? report })),
      truncated: [report, ...reports].some(({ truncated }) => truncated),
    };
  }
}

/** The index of the first cell that the new one at `index` may affect. A cell whose program was blanked is not affected. */
function firstToRecheck(before: readonly Cell[], now: readonly Cell[], index: number): number {
  const blanked = now.findIndex(({ body }, at) => body !== before[at]?.body);
  return blanked < 0 ? index : Math.min(blanked + 1, index);
}

/** The end of a rejected cell, which changes nothing. */
function rejected(report: CheckReport): CellEnd {
  return cellEnd({ status: 'error', alive: true, error: rejection(report), report: cellReport(report) });
}

function counted(cells: readonly Cell[]): string {
  return cells.length === 1 ? 'cell was' : `${cells.length} cells were`;
}

function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
