import type { NoAnswer, SettledVersion } from '../lsp/document.ts';
import type { Diagnostic, DocumentSymbol } from '../lsp/messages.ts';
import type { CheckReport } from '../report.ts';
import { axiomCommands, axiomsOf } from '../verdict/axioms.ts';
import { declarationsOf, findMain } from '../verdict/declarations.ts';
import { factsOf } from '../verdict/verdict.ts';
import { canBeParted, lineOf, type Piece, type Stretch, segmentOf } from './cells.ts';
import { follow, type Scopes } from './outline.ts';
import { isSound, type ReportTerms, reportOn, type Said, within } from './report.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** A piece to check at the end of a session's document. */
export interface Candidate {
  readonly piece: Piece;
  /** The segments that stand before it, and the scopes that these leave open. */
  readonly before: readonly string[];
  readonly scopes: Scopes;
}

/** A check that came to its end. */
export interface CheckedCell {
  readonly kind: 'checked';
  readonly report: CheckReport;
  /** What stands at its place from now on; meaningless where it is rejected. */
  readonly parted: boolean;
  readonly main: Stretch | null;
}

/** What Lean said of the piece with questions behind it. */
interface Reading extends Said {
  /** An error behind it is its own: its end runs into what follows. */
  readonly unfinished: boolean;
}

/** Checks pieces in one document; throws the signal's reason once that has aborted. */
export class CellCheck {
  readonly #terms: ReportTerms;
  readonly #candidate: Candidate;

  constructor(candidate: Candidate, terms: ReportTerms) {
    this.#terms = terms;
    this.#candidate = candidate;
  }

  get #document(): SessionDocument {
    return this.#terms.document;
  }

  get #signal(): AbortSignal {
    return this.#terms.signal;
  }

  /**
   * Asks for everything in one pass: the piece, what parts it from the next, and what its declarations rest on. Code that
   * is unfinished runs into what follows it, and is then checked again with nothing behind.
   */
  async run(): Promise<CheckedCell | NoAnswer> {
    const { piece, scopes } = this.#candidate;
    if (!canBeParted(piece.body)) return this.#alone();
    const names = namesOf(follow(piece.outline, scopes).declared.map(({ name }) => name));
    const settled = await this.#settled([segmentOf({ body: piece.body, parted: true }), axiomCommands(names)]);
    if (settled.kind !== 'settled') return settled;
    const said = this.#read(settled, names);
    const isAnswered = said.answers.every(({ axioms }) => axioms !== null);
    return said.unfinished || (isSound(said) && !isAnswered) ? this.#alone() : this.#conclude(said, true);
  }

  async #alone(): Promise<CheckedCell | NoAnswer> {
    const { body } = this.#candidate.piece;
    const settled = await this.#settled([body]);
    if (settled.kind !== 'settled') return settled;
    const { start } = this.#lines();
    const diagnostics = within(settled.diagnostics, start, Number.POSITIVE_INFINITY);
    const said = { diagnostics, answers: [], fatal: settled.fatalAt !== null };
    if (!isSound(said)) return this.#conclude(said, false);
    const names = this.#namesBySymbols(await this.#symbols());
    return canBeParted(body) ? this.#askParted(names) : this.#ask(names, false);
  }

  /** Nothing of the piece's end runs into what follows it, unless what parts them is wrong behind it. */
  async #askParted(names: readonly string[]): Promise<CheckedCell | NoAnswer> {
    const asked = await this.#ask(names, true);
    return asked.kind === 'checked' && !asked.parted ? this.#ask(names, false) : asked;
  }

  async #ask(names: readonly string[], parted: boolean): Promise<CheckedCell | NoAnswer> {
    const { body } = this.#candidate.piece;
    const settled = await this.#settled([segmentOf({ body, parted }), axiomCommands(names)]);
    if (settled.kind !== 'settled') return settled;
    const said = this.#read(settled, names);
    return this.#conclude(said, parted && !said.unfinished);
  }

  /** With the names that Lean's own symbols tell, where the text does not tell them. */
  #namesBySymbols(symbols: readonly DocumentSymbol[]): string[] {
    const { body } = this.#candidate.piece;
    const { table } = this.#document.lean;
    const start = this.#document.startOf(this.#index);
    const own = declarationsOf(symbols, table).filter(({ nameRange }) => {
      const at = table.offsetAt(nameRange.start);
      return start <= at && at < start + body.length;
    });
    return namesOf(own.map(({ name }) => name));
  }

  async #conclude(said: Said, parted: boolean): Promise<CheckedCell> {
    const { piece } = this.#candidate;
    const report = await reportOn(piece, this.#index, said, this.#terms);
    const main = isSound(said) ? await this.#main() : null;
    return { kind: 'checked', report, parted, main };
  }

  /** The piece's program: its tokens say that there may be one, and Lean's symbols where it is. */
  async #main(): Promise<Stretch | null> {
    const { piece, scopes } = this.#candidate;
    const { declared } = follow(piece.outline, scopes);
    if (!declared.some(({ name, runnable }) => name === 'main' && runnable)) return null;
    const { table } = this.#document.lean;
    const main = findMain(await this.#symbols(), table);
    const start = this.#document.startOf(this.#index);
    if (!main || table.offsetAt(main.nameRange.start) < start) return null;
    return { from: table.offsetAt(main.range.start) - start, to: table.offsetAt(main.range.end) - start };
  }

  async #symbols(): Promise<readonly DocumentSymbol[]> {
    const symbols = await this.#document.lean.documentSymbols(this.#signal);
    return symbols.kind === 'ok' ? symbols.value : [];
  }

  #settled(segments: readonly string[]): Promise<SettledVersion | NoAnswer> {
    this.#signal.throwIfAborted();
    this.#document.become([...this.#candidate.before, ...segments.filter((segment) => segment !== '')]);
    return this.#document.settled(this.#signal);
  }

  #read(settled: SettledVersion, names: readonly string[]): Reading {
    const { start, parting, questions } = this.#lines();
    const { diagnostics, fatalAt } = settled;
    // Code that takes what parts it for its own fails where the next command begins.
    const runsOver = ({ range: { start } }: Diagnostic) =>
      start.line < questions ||
      start.line >= questions + names.length ||
      (start.line === questions && start.character === 0);
    const behind = within(diagnostics, parting, Number.POSITIVE_INFINITY);
    return {
      diagnostics: within(diagnostics, start, parting),
      answers: axiomsOf(diagnostics, questions, names),
      fatal: fatalAt !== null,
      unfinished: factsOf(behind.filter(runsOver)).errors > 0,
    };
  }

  get #index(): number {
    return this.#candidate.before.length;
  }

  /** The lines at which the piece begins, what parts it from the questions, and these. */
  #lines(): { start: number; parting: number; questions: number } {
    const { lean } = this.#document;
    const from = this.#document.startOf(this.#index);
    const lineAt = (offset: number) => lean.table.positionAt(offset).line;
    const parting = from + lineOf(this.#candidate.piece.body).length;
    return { start: lineAt(from), parting: lineAt(parting), questions: this.#document.lineOf(this.#index + 1) };
  }
}

function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)];
}
