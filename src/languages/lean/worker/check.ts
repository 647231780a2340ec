import type { LeanDocument, NoAnswer, Settled, SettledVersion } from '../lsp/document.ts';
import type { CheckReport, LeanSorry } from '../report.ts';
import { type Spot, spotInPart } from '../text/position.ts';
import { sorryTokens, tokensOf } from '../text/tokens.ts';
import { axiomsOf, type DeclarationAxioms } from '../verdict/axioms.ts';
import { declarationsOf, findMain, type MainDeclaration } from '../verdict/declarations.ts';
import { mayHideSorry } from '../verdict/hidden.ts';
import { diagnosticsIn, messagesOf, type Span } from '../verdict/report.ts';
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
  /** The program that the code declares, or null; looked for only where nothing is wrong. */
  readonly main: MainDeclaration | null;
  /** Lean could not elaborate the header, so that nothing behind it was checked. */
  readonly headerFailed: boolean;
}

/** What Lean said of a version of the document: of the code, and in answer to questions behind it. */
interface Reading extends Placed {
  readonly settled: SettledVersion;
  readonly answers: readonly DeclarationAxioms[];
}

/** The answer for a header that failed without a word. */
const UNCHECKED: Checked = {
  kind: 'checked',
  report: { verdict: 'rejected', messages: [], sorries: [], axioms: null, goals: null },
  main: null,
  headerFailed: true,
};

/** Code that is to be placed: what goes behind the document's header, and which part of it is the caller's. */
export interface Body {
  readonly text: string;
  /** Offset of the caller's part in `text`, which it ends. */
  readonly from: number;
  /** Where that part begins in the caller's own text. */
  readonly origin: Spot;
}

/** The body as it is in a document whose header ends at an offset. */
export function placed(document: LeanDocument, headerEnd: number, { text, from, origin }: Body): Placed {
  return { document, headerEnd, span: { from: 0, start: headerEnd + from, end: headerEnd + text.length, origin } };
}

/** The body with questions behind it, so that one pass of Lean is enough most of the time. */
export function withQuestions({ text, from }: Body): string {
  return text + (questionsOf(text, from)?.text ?? '');
}

/**
 * Reports on a piece at the end of its document, placed `withQuestions`, once Lean has gone through it. What keeps it
 * from an answer is the answer.
 */
export async function check(piece: Placed, signal?: AbortSignal): Promise<Checked | NoAnswer> {
  const { document, span } = piece;
  const asked = questionsOf(document.text.slice(piece.headerEnd, span.end), span.start - piece.headerEnd);
  const first = await read(piece, asked, signal);
  if (first.kind === 'unchecked') return UNCHECKED;
  if (first.kind !== 'read') return first;
  const isPlain = asked !== null && first.answers.every(({ axioms }) => axioms !== null) && !runsOver(first);
  if (isPlain || isHeaderRefused(first)) return report(first, signal);
  // An old server says nothing more of a document whose header has failed.
  if (first.settled.fatalAt !== null) document.reopen(document.text.slice(0, span.end));
  else document.replaceFrom(span.end, '');
  return checkAgain(piece, signal);
}

/** Without questions, whose lines unfinished code could run into; then with those that Lean's own symbols tell. */
async function checkAgain(piece: Placed, signal?: AbortSignal): Promise<Checked | NoAnswer> {
  const { document, span } = piece;
  const alone = await read(piece, null, signal);
  if (alone.kind === 'unchecked') return UNCHECKED;
  if (alone.kind !== 'read') return alone;
  if (!isSound(alone)) return report(alone, signal);
  const symbols = await document.documentSymbols(signal);
  const known = symbols.kind === 'ok' ? symbols.value : [];
  const { table } = document;
  const own = declarationsOf(known, table).filter(({ nameRange }) => table.offsetAt(nameRange.start) >= span.start);
  const questions = questionsFor([...new Set(own.map(({ name }) => name))]);
  document.append(questions.text);
  const answered = await read(piece, questions, signal);
  if (answered.kind === 'unchecked') return UNCHECKED;
  if (answered.kind !== 'read') return answered;
  return report({ ...alone, answers: answered.answers }, signal);
}

type ReadEnd = (Reading & { readonly kind: 'read' }) | Exclude<Settled, SettledVersion>;

async function read(piece: Placed, asked: Questions | null, signal?: AbortSignal): Promise<ReadEnd> {
  const { document, span } = piece;
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const firstLine = document.table.positionAt(span.end).line + 1;
  const answers = asked ? axiomsOf(settled.diagnostics, firstLine, [CONTROL, ...asked.names]) : [];
  return { kind: 'read', ...piece, settled, answers };
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

async function report(reading: Reading, signal?: AbortSignal): Promise<Checked> {
  const { document, span, settled, answers, headerEnd } = reading;
  const messages = messagesOf(settled.diagnostics, document.table, span);
  const facts = factsOf(diagnosticsIn(settled.diagnostics, document.table, span));
  const sound = isSound(reading);
  const [before, code] = [document.text.slice(0, span.start), document.text.slice(span.start, span.end)];
  const hidden = mayHideSorry(before, code, answers);
  const verdict = verdictOf({ ...facts, complete: true, fatal: settled.fatalAt !== null, hidden, axioms: answers });
  const sorries = await sorriesOf(reading, signal);
  const axioms = sound ? answers.slice(1).map(({ name, axioms: list }) => ({ name, axioms: list })) : null;
  return {
    kind: 'checked',
    report: { verdict, messages, sorries, axioms, goals: null },
    main: sound ? await mainOf(document, signal) : null,
    headerFailed: settled.fatalAt !== null && document.table.offsetAt(settled.fatalAt) <= headerEnd,
  };
}

/** The proofs left out in what was placed, each with its goal where Lean tells one. */
export async function sorriesOf(
  { document, span }: Pick<Placed, 'document' | 'span'>,
  signal?: AbortSignal,
): Promise<LeanSorry[]> {
  const sorries: LeanSorry[] = [];
  for (const { offset } of sorryTokens(document.text.slice(span.start, span.end))) {
    const place = span.start + offset;
    const goals = await goalsAt(document, place, signal);
    sorries.push({ ...spotInPart(document.table, span, place), goal: goals?.join('\n\n') ?? null });
  }
  return sorries;
}

async function mainOf(document: LeanDocument, signal?: AbortSignal): Promise<MainDeclaration | null> {
  const { text } = document;
  if (!tokensOf(text).some(({ start, end }) => text.slice(start, end) === 'main')) return null;
  const symbols = await document.documentSymbols(signal);
  return symbols.kind === 'ok' ? findMain(symbols.value, document.table) : null;
}
