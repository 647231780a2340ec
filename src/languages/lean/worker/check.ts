import { slices } from '../../../base/slices.ts';
import type { LeanDocument, NoAnswer, Settled, SettledVersion } from '../lsp/document.ts';
import { type CheckReport, EMPTY_REPORT, type LeanMessage, type LeanSorry } from '../report.ts';
import { ENTRY, fitted } from '../reportSize.ts';
import { type Exit, exitIn } from '../text/exit.ts';
import type { ImportRange } from '../text/importRanges.ts';
import { type LineTable, type SourcePosition, toRegionPosition } from '../text/position.ts';
import { sorryTokens, tokensOf } from '../text/tokens.ts';
import { axiomsOf, type DeclarationAxioms } from '../verdict/axioms.ts';
import { declarationsOf, findMain, type MainDeclaration } from '../verdict/declarations.ts';
import { mayHideSorry } from '../verdict/hidden.ts';
import { diagnosticsIn, type Printed, readMessages, readPrinted, type Span, visibleIn } from '../verdict/report.ts';
import { factsOf, verdictOf } from '../verdict/verdict.ts';
import { goalsAt } from './goals.ts';
import { CONTROL, type Questions, questionsFor, questionsOf } from './questions.ts';

/** Code of a caller in a document: the part it is, and where it came from. */
export interface Placed {
  readonly document: LeanDocument;
  /** Where the document's header ends. */
  readonly headerEnd: number;
  readonly span: Span;
}

/** A check that came to its end. */
export interface Checked {
  readonly kind: 'checked';
  readonly report: CheckReport;
  /** What `#eval` and its like have printed. */
  readonly printed: Printed;
  /** The program that the code declares, or null; looked for only where nothing is wrong. */
  readonly main: MainDeclaration | null;
  /** Lean could not elaborate the header, so that nothing behind it was checked. */
  readonly headerFailed: boolean;
}

/** What Lean said of a version of the document: of the code, and in answer to questions behind it. */
interface Reading extends Placed {
  readonly settled: SettledVersion;
  readonly answers: readonly DeclarationAxioms[];
  /** Where Lean was told to stop before the code's end, or null. */
  readonly exit: Exit | null;
}

/** The answer for a header that failed without a word. */
const UNCHECKED: Checked = {
  kind: 'checked',
  report: EMPTY_REPORT,
  printed: { text: '', bytes: 0 },
  main: null,
  headerFailed: true,
};

/** Code that is to be placed: what goes behind the document's header, and which part of it is the caller's. */
export interface Body {
  readonly text: string;
  /** Offset of the caller's part in `text`, which it ends. */
  readonly from: number;
  /** Where that part begins in the caller's own text. */
  readonly origin: SourcePosition;
  /** The caller's own imports. */
  readonly imports: readonly ImportRange[];
}

/** The body as it is in a document whose header ends at an offset. */
export function placed(document: LeanDocument, headerEnd: number, { text, from, origin, imports }: Body): Placed {
  const header = { end: headerEnd, imports };
  const span = { from: 0, start: headerEnd + from, end: headerEnd + text.length, origin, header };
  return { document, headerEnd, span };
}

/** The body with questions behind it, so that one pass of Lean is enough most of the time. */
export function withQuestions({ text, from }: Body): string {
  return text + (questionsOf(text, from)?.text ?? '');
}

/** How a check goes. */
export interface CheckTerms {
  /** UTF-16 units kept of what is printed, and of the report. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/**
 * Reports on a piece at the end of its document, placed `withQuestions`, once Lean has gone through it. What keeps it
 * from an answer is the answer.
 */
export async function check(piece: Placed, terms: CheckTerms): Promise<Checked | NoAnswer> {
  const { document, span } = piece;
  const asked = questionsOf(document.text.slice(piece.headerEnd, span.end), span.start - piece.headerEnd);
  const first = await read(piece, asked, span.end, terms.signal);
  if (first.kind === 'unchecked') return UNCHECKED;
  if (first.kind !== 'read') return first;
  const isPlain = asked !== null && first.answers.every(({ axioms }) => axioms !== null) && !runsOver(first);
  if (isPlain || isHeaderRefused(first)) return report(first, terms);
  // An old server says nothing more of a document whose header has failed.
  if (first.settled.fatalAt !== null) document.reopen(document.text.slice(0, span.end));
  else document.replaceFrom(span.end, '');
  return checkAgain(piece, terms);
}

/** Without questions, whose lines unfinished code could run into; then with those that Lean's own symbols tell. */
async function checkAgain(piece: Placed, terms: CheckTerms): Promise<Checked | NoAnswer> {
  const { document, span } = piece;
  const alone = await read(piece, null, span.end, terms.signal);
  if (alone.kind === 'unchecked') return UNCHECKED;
  if (alone.kind !== 'read') return alone;
  if (!isSound(alone)) return report(alone, terms);
  const symbols = await document.documentSymbols(terms.signal);
  const known = symbols.kind === 'ok' ? symbols.value : [];
  const { table } = document;
  const own = declarationsOf(known, table).filter(({ nameRange }) => table.offsetAt(nameRange.start) >= span.start);
  const questions = questionsFor([...new Set(own.map(({ name }) => name))]);
  const asked = await ask(piece, questions, span.end, terms.signal);
  if (asked.kind === 'unchecked') return UNCHECKED;
  if (asked.kind !== 'read') return asked;
  const exit = asked.answers[0]?.answered ? null : exitIn(document.text.slice(0, span.end), span.start);
  if (!exit?.isLast) return report({ ...alone, answers: asked.answers, exit }, terms);
  // Lean has gone through all that it was given, and can be asked before it stops.
  const before = await ask(piece, questions, exit.start, terms.signal);
  if (before.kind === 'unchecked') return UNCHECKED;
  return before.kind === 'read' ? report({ ...alone, answers: before.answers }, terms) : before;
}

type ReadEnd = (Reading & { readonly kind: 'read' }) | Exclude<Settled, SettledVersion>;

/** Puts questions at an offset in the place of all that follows, and reads. */
function ask(piece: Placed, questions: Questions, at: number, signal?: AbortSignal): Promise<ReadEnd> {
  piece.document.replaceFrom(at, questions.text);
  return read(piece, questions, at, signal);
}

/** Reads what Lean says of the document, where these questions stand at an offset. */
async function read(piece: Placed, asked: Questions | null, at: number, signal?: AbortSignal): Promise<ReadEnd> {
  const { document } = piece;
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const firstLine = document.table.positionAt(at).line + 1;
  const answers = asked ? axiomsOf(settled.diagnostics, firstLine, [CONTROL, ...asked.names]) : [];
  return { kind: 'read', ...piece, settled, answers, exit: null };
}

function isSound({ settled, document, span }: Reading): boolean {
  return settled.fatalAt === null && factsOf(diagnosticsIn(settled.diagnostics, document.table, span)).errors === 0;
}

/** An error behind the code: it is unfinished, or a name is unknown. */
function runsOver({ settled, document, span }: Reading): boolean {
  const behind = { ...span, from: span.end, start: span.end, end: document.text.length };
  return factsOf(diagnosticsIn(settled.diagnostics, document.table, behind)).errors > 0;
}

/** Lean has stopped at the header and said why; what stands behind it plays no part. */
function isHeaderRefused({ settled, document, span, headerEnd }: Reading): boolean {
  const said = diagnosticsIn(settled.diagnostics, document.table, { ...span, end: headerEnd });
  return settled.fatalAt !== null && said.length > 0;
}

async function report(reading: Reading, { limit, signal }: CheckTerms): Promise<Checked> {
  const { document, span, settled, answers, headerEnd, exit } = reading;
  const { diagnostics } = settled;
  const { text, table } = document;
  const facts = factsOf(diagnosticsIn(diagnostics, table, span));
  const isWhole = isSound(reading) && exit === null;
  const visible = visibleIn(diagnostics, table, span);
  const messages = await slices.run(readMessages(visible, table, span, limit / ENTRY));
  const messageCount = visible.length;
  const said = exit
    ? { messages: [...messages, exitMessage(exit, table, span)], messageCount: messageCount + 1 }
    : { messages, messageCount };
  const printed = await slices.run(readPrinted(visible, limit));
  const hidden = mayHideSorry(text.slice(0, span.start), text.slice(span.start, span.end), answers);
  const fatal = settled.fatalAt !== null || exit !== null;
  const verdict = verdictOf({ ...facts, complete: true, fatal, hidden, axioms: answers });
  const sorries = await sorriesOf(reading, limit, signal);
  const axioms = isWhole ? answers.slice(1).map(({ name, axioms: list }) => ({ name, axioms: list })) : null;
  return {
    kind: 'checked',
    report: fitted({ ...EMPTY_REPORT, ...said, verdict, sorries, axioms }, limit),
    printed,
    main: isWhole ? await mainOf(document, signal) : null,
    headerFailed: settled.fatalAt !== null && document.table.offsetAt(settled.fatalAt) <= headerEnd,
  };
}

/** What keeps code with an `#exit` in it from being gone through. */
function exitMessage({ start, end }: Exit, table: LineTable, span: Span): LeanMessage {
  const [from, to] = [toRegionPosition(table, span, start), toRegionPosition(table, span, end)];
  const text = 'Lean stops at #exit: what follows was not checked.';
  return { severity: 'error', line: from.line, column: from.column, endLine: to.line, endColumn: to.column, text };
}

/** The proofs left out in what was placed, each with its goal where Lean tells one and there is room for it. */
export async function sorriesOf(
  { document, span }: Pick<Placed, 'document' | 'span'>,
  limit: number,
  signal?: AbortSignal,
): Promise<LeanSorry[]> {
  const sorries: LeanSorry[] = [];
  let left = limit;
  for (const { offset } of sorryTokens(document.text.slice(span.start, span.end))) {
    const place = span.start + offset;
    const goals = left > 0 ? await goalsAt(document, place, signal) : null;
    const goal = goals?.join('\n\n') ?? null;
    left -= ENTRY + (goal?.length ?? 0);
    sorries.push({ ...toRegionPosition(document.table, span, place), goal });
  }
  return sorries;
}

async function mainOf(document: LeanDocument, signal?: AbortSignal): Promise<MainDeclaration | null> {
  const { text } = document;
  if (!tokensOf(text).some(({ start, end }) => text.slice(start, end) === 'main')) return null;
  const symbols = await document.documentSymbols(signal);
  return symbols.kind === 'ok' ? findMain(symbols.value, document.table) : null;
}
