import type { NoAnswer, Settled, SettledVersion } from '../lsp/document.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import type { DocumentSymbol } from '../lsp/queryResults.ts';
import type { CheckReport } from '../report.ts';
import { exitIn } from '../text/exit.ts';
import type { ImportRange } from '../text/importRanges.ts';
import { mayBeMisread, unseenKeywords } from '../text/misreading.ts';
import type { TextRange } from '../text/position.ts';
import { axiomCommands, axiomsOf, CONTROL } from './axioms.ts';
import { type CellSource, canBeSeparated, segmentOf, withLastLineFeed } from './cellSource.ts';
import { declarationsOf, findMain, namesWithin } from './declarations.ts';
import { diagnosticsIn } from './diagnostics.ts';
import { type Asked, askNamed, hasGapBefore, newPrefix, withNames } from './nameless.ts';
import { follow, type Scopes, usesScopes } from './outline.ts';
import { isSound, type Reading, type ReportTerms, reportOn } from './reading.ts';
import type { SegmentedDocument } from './segmentedDocument.ts';
import { factsOf } from './verdict.ts';

/** A cell to check at the end of Lean's document. */
export interface CellToCheck {
  readonly source: CellSource;
  /** The segments of the document before the cell; the first one is the header. */
  readonly before: readonly string[];
  /** The scopes that these segments leave open; null when they open and close none. */
  readonly scopes: Scopes | null;
  /** Other cells will follow it, so Lean has to read on after it. */
  readonly isContinued?: true;
  /** The caller's own imports, where errors of the header count as the cell's. */
  readonly imports?: readonly ImportRange[];
}

/** Where and how a cell is checked. */
export interface CheckTerms extends ReportTerms {
  readonly document: SegmentedDocument;
}

/** A check that ran to its end; the document holds the cell, as it was checked last. */
export interface CheckedCell {
  readonly kind: 'checked';
  readonly report: CheckReport;
  readonly reading: Reading;
  /** Whether the cell's segment ends with the separator from now on; meaningless for a rejected cell. */
  readonly hasSeparator: boolean;
  /** The program that the cell declares, as a range of its body; null also when the cell has errors. */
  readonly main: TextRange | null;
  /** Lean could not elaborate the header, so nothing after it was checked. */
  readonly headerFailed: boolean;
}

/** How a check ended. `unchecked`: the server published nothing, as old servers do after a header that failed. */
export type CheckEnd = CheckedCell | { readonly kind: 'unchecked' } | NoAnswer;

/** One pass of Lean over the document. */
interface Pass {
  readonly body: string;
  readonly hasSeparator: boolean;
  /** The declarations whose axioms Lean is asked for after the cell; null to put nothing after the cell. */
  readonly names: readonly string[] | null;
}

/** What a pass read. */
interface PassEnd extends Reading {
  readonly kind: 'read';
  /** An error is or ends after the cell, so the end of the cell runs into the text that follows. */
  readonly runsOver: boolean;
  readonly headerFailed: boolean;
  /** Something before the cell is left out or failed. */
  readonly hasGapBefore: boolean;
}

const EXITED = 'Lean stops at #exit: what follows was not checked.';
const UNREAD = 'Lean answers nothing after this cell, so no later cell could be checked.';

/** The segments that the first pass puts after `before`; a document that starts with them saves an edit. */
export function firstSegments(cell: CellToCheck): string[] {
  return segmentsOf(firstPass(cell));
}

/**
 * Checks a cell: the only place where Lean's answers become a verdict. One pass asks for everything: the cell, the
 * separator, and the axioms of what the cell declares. Unfinished code runs into the text after it, so in doubt the cell is
 * checked again with nothing after it.
 */
export function checkCell(cell: CellToCheck, terms: CheckTerms): Promise<CheckEnd> {
  return new CellCheck(cell, terms).run();
}

class CellCheck {
  readonly #cell: CellToCheck;
  readonly #terms: CheckTerms;
  /** The last pass stopped at the header; an old server says nothing about later edits of such a document. */
  #needsReopen = false;

  constructor(cell: CellToCheck, terms: CheckTerms) {
    this.#cell = cell;
    this.#terms = terms;
  }

  async run(): Promise<CheckEnd> {
    const pass = firstPass(this.#cell);
    if (pass.names === null) return this.#runAlone();
    const first = await this.#read(pass);
    if (first.kind !== 'read') return first;
    const isDoubtful = first.runsOver || (isSound(first) && !(await this.#isAnswered(first, pass.names)));
    return isDoubtful ? this.#runAlone() : this.#conclude(first, true);
  }

  /** Checks the cell with nothing after it, then asks for the names that Lean's own symbols give. */
  async #runAlone(): Promise<CheckEnd> {
    const { body, from } = this.#cell.source;
    const alone = await this.#read({ body, hasSeparator: false, names: null });
    if (alone.kind !== 'read') return alone;
    if (!isSound(alone)) return this.#conclude(alone, false);
    const names = await this.#names();
    const separated = canBeSeparated(body) ? await this.#read({ body, hasSeparator: true, names }) : null;
    if (separated && separated.kind !== 'read') return separated;
    const hasSeparator = separated !== null && !separated.runsOver;
    const asked = hasSeparator ? separated : await this.#read({ body, hasSeparator: false, names });
    if (asked.kind !== 'read') return asked;
    const isRead = asked.answers[0]?.answered === true;
    const exit = isRead ? null : exitIn(body, from);
    const end = { start: body.length, end: body.length };
    if (!isRead && !exit && this.#cell.isContinued) return this.#conclude(this.#stopped(alone, end, UNREAD), false);
    if (!exit) return this.#conclude({ ...alone, answers: asked.answers }, hasSeparator);
    if (!exit.isLast) return this.#conclude(this.#stopped(alone, exit, EXITED), hasSeparator);
    // Lean has checked all of the code, and can be asked before it stops.
    const before = await this.#read({ body: body.slice(0, exit.start), hasSeparator: false, names });
    return before.kind === 'read' ? this.#conclude({ ...alone, answers: before.answers }, hasSeparator) : before;
  }

  #stopped(read: PassEnd, place: TextRange, text: string): PassEnd {
    return { ...read, stop: { ...this.#inDocument(place), text } };
  }

  async #read(pass: Pass): Promise<PassEnd | Exclude<Settled, SettledVersion>> {
    const { document, signal } = this.#terms;
    if (signal.aborted) return { kind: 'aborted' };
    const segments = [...this.#cell.before, ...segmentsOf(pass)];
    if (this.#needsReopen) document.reopen(segments);
    else document.become(segments);
    const settled = await document.lean.settled(signal);
    if (settled.kind !== 'settled') return settled;
    this.#needsReopen = settled.fatalAt !== null;
    return this.#readingOf(settled, pass);
  }

  #readingOf({ diagnostics, fatalAt }: SettledVersion, { body, names }: Pass): PassEnd {
    const { source, imports } = this.#cell;
    const { document } = this.#terms;
    const { table } = document.lean;
    const headerEnd = document.startOf(1);
    const end = this.#start + (names === null ? body : withLastLineFeed(body)).length;
    const region = {
      from: imports ? 0 : this.#start,
      start: this.#start + source.from,
      end,
      origin: source.origin,
      ...(imports && { header: { end: headerEnd, imports } }),
    };
    const asked = names === null ? [] : [CONTROL, ...names];
    const nextLine = table.positionAt(end).line;
    const questionLine = document.lineOf(this.#index + 1);
    const reachesOver = (diagnostic: Diagnostic) =>
      lastLineOf(diagnostic) >= nextLine && !isAnswer(diagnostic, questionLine, asked.length);
    return {
      kind: 'read',
      region,
      diagnostics: diagnosticsIn(diagnostics, table, region),
      answers: axiomsOf(diagnostics, questionLine, asked),
      nameless: [],
      hasGapBefore: hasGapBefore(diagnostics, table.positionAt(this.#start).line),
      isFatal: fatalAt !== null,
      runsOver: names !== null && factsOf(diagnostics.filter(reachesOver)).errors > 0,
      headerFailed: fatalAt !== null && table.offsetAt(fatalAt) <= headerEnd,
    };
  }

  /** Whether Lean answered for each name, and the names are those that Lean's symbols give where scopes matter. */
  async #isAnswered({ answers }: Reading, names: readonly string[]): Promise<boolean> {
    if (answers.some(({ axioms }) => axioms === null)) return false;
    const { source, scopes } = this.#cell;
    const hasScopes = scopes !== null || usesScopes(source.outline);
    if (!hasScopes && (await this.#unseenKeywords()).length === 0) return true;
    const exact = await this.#names();
    return exact.length === names.length && exact.every((name, index) => name === names[index]);
  }

  async #conclude(read: PassEnd, hasSeparator: boolean): Promise<CheckEnd> {
    const { document, ...terms } = this.#terms;
    const asked = await this.#askNameless(read);
    if (asked.kind !== 'asked') return asked;
    const reading = { ...read, nameless: asked.answers };
    const report = await reportOn(document.lean, reading, terms);
    const main = isSound(read) ? await this.#main() : null;
    return { kind: 'checked', report, reading, hasSeparator, main, headerFailed: read.headerFailed };
  }

  /** Asks for the axioms of declarations without a name where they may depend on a gap before the cell. */
  async #askNameless(read: PassEnd): Promise<Asked | NoAnswer> {
    const { body, from } = this.#cell.source;
    const mayBeComplete = isSound(read) && factsOf(read.diagnostics).sorryWarnings === 0;
    if (!read.hasGapBefore || !mayBeComplete) return { kind: 'asked', answers: [] };
    const keywords = (await this.#unseenKeywords()).map((offset) => offset - this.#start);
    const named = withNames(body, { from, prefix: newPrefix(), first: 0, keywords });
    if (named.names.length === 0) return { kind: 'asked', answers: [] };
    const { before } = this.#cell;
    const asked = await askNamed([...before, withLastLineFeed(named.body)], named.names, this.#terms);
    if (asked.kind === 'asked') this.#terms.document.become([...before, withLastLineFeed(body)]);
    return asked;
  }

  /** The cell's program: its tokens show that there may be one, and Lean's symbols where it is. */
  async #main(): Promise<TextRange | null> {
    if (!mentionsMain(this.#cell.source)) return null;
    const { table } = this.#terms.document.lean;
    const main = findMain(await this.#symbols(), table);
    if (!main || table.offsetAt(main.nameRange.start) < this.#start) return null;
    const [start, end] = [table.offsetAt(main.range.start), table.offsetAt(main.range.end)];
    return { start: start - this.#start, end: end - this.#start };
  }

  /** The names that the cell declares, in the namespaces that Lean's symbols show. */
  async #names(): Promise<string[]> {
    const { body, declaresFrom } = this.#cell.source;
    const { table } = this.#terms.document.lean;
    const declarations = declarationsOf(await this.#symbols(), table, await this.#unseenKeywords());
    return namesWithin(declarations, table, this.#inDocument({ start: declaresFrom, end: body.length }));
  }

  /** The offsets in the document of the cell's keywords that its tokens do not show. */
  async #unseenKeywords(): Promise<number[]> {
    const { body } = this.#cell.source;
    if (!mayBeMisread(this.#cell.before.join(''), body)) return [];
    const { document, signal } = this.#terms;
    return unseenKeywords(document.lean, this.#inDocument({ start: 0, end: body.length }), signal);
  }

  async #symbols(): Promise<readonly DocumentSymbol[]> {
    const { document, signal } = this.#terms;
    const symbols = await document.lean.documentSymbols(signal);
    return symbols.kind === 'ok' ? symbols.value : [];
  }

  #inDocument({ start, end }: TextRange): TextRange {
    return { start: this.#start + start, end: this.#start + end };
  }

  /** Where the cell's segment starts in the document. */
  get #start(): number {
    return this.#terms.document.startOf(this.#index);
  }

  get #index(): number {
    return this.#cell.before.length;
  }
}

function firstPass({ source, scopes }: CellToCheck): Pass {
  const { body, declaresFrom, outline } = source;
  const hasSeparator = canBeSeparated(body);
  const own = follow(outline, scopes ?? []).declared.filter(({ at }) => at >= declaresFrom);
  return { body, hasSeparator, names: hasSeparator ? distinct(own.map(({ name }) => name)) : null };
}

function segmentsOf({ body, hasSeparator, names }: Pass): string[] {
  if (names === null) return body === '' ? [] : [body];
  return [segmentOf({ body, hasSeparator }), axiomCommands([CONTROL, ...names])];
}

function lastLineOf({ range, fullRange = range }: Diagnostic): number {
  return fullRange.end.line;
}

/** Whether a diagnostic answers a question; code that takes the separator as its own fails where the first one begins. */
function isAnswer({ range: { start } }: Diagnostic, first: number, count: number): boolean {
  return first <= start.line && start.line < first + count && !(start.line === first && start.character === 0);
}

function mentionsMain({ outline }: CellSource): boolean {
  return outline.some((event) => event.kind === 'declare' && event.runnable && /(^|\.)main$/.test(event.name));
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
