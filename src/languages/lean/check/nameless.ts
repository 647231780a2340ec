import { randomBytes } from 'node:crypto';
import type { NoAnswer } from '../lsp/document.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import { skipBlank } from '../text/blank.ts';
import { identifierEnd } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';
import { axiomCommands, axiomsOf, CONTROL, type DeclarationAxioms } from './axioms.ts';
import type { SegmentedDocument } from './segmentedDocument.ts';
import { factsOf } from './verdict.ts';

/** Code in which the declarations without a name have names, and these names. */
export interface NamedCode {
  readonly body: string;
  readonly names: readonly string[];
}

/** Which declarations get names. */
export interface Naming {
  /** The UTF-16 offset at which the first one may start. */
  readonly from: number;
  /** What the names start with. */
  readonly prefix: string;
  /** The number of the first name. */
  readonly first: number;
  /** Offsets of keywords that tokens do not show. */
  readonly keywords: readonly number[];
}

/** A prefix for names that the code cannot know, so that it declares none of them itself. */
export function newPrefix(): string {
  return `Hothouse.nameless_${randomBytes(8).toString('hex')}_`;
}

/** Names each `example` and each `instance` without a name, since Lean reports axioms for names only. */
export function withNames(body: string, { from, prefix, first, keywords }: Naming): NamedCode {
  const names: string[] = [];
  let [named, end] = ['', 0];
  const tokens = tokensOf(body).flatMap(({ kind, start }) => (kind === 'name' ? [start] : []));
  for (const start of [...tokens, ...keywords].sort((a, b) => a - b)) {
    const keyword = body.slice(start, identifierEnd(body, start));
    if (start < from || !isNameless(body, start, keyword)) continue;
    const name = `${prefix}${first + names.length}`;
    names.push(name);
    const after = start + keyword.length;
    const place = placeOfName(body, after);
    named += `${body.slice(end, start)}${keyword === 'example' ? 'def' : keyword}${body.slice(after, place)} _root_.${name}`;
    end = place;
  }
  return { body: named + body.slice(end), names };
}

const PRIORITY = /\s*\(\s*priority\s*:=[^()]*\)/y;

/** Where a name can follow a keyword that ends at the offset: after the priority of an instance. */
function placeOfName(body: string, end: number): number {
  PRIORITY.lastIndex = end;
  return PRIORITY.test(body) ? PRIORITY.lastIndex : end;
}

function isNameless(body: string, start: number, keyword: string): boolean {
  if (keyword === 'example') return true;
  if (keyword !== 'instance') return false;
  const next = skipBlank(body, placeOfName(body, start + keyword.length), 'any');
  // It is also an attribute, and precedes a list of classes.
  const isOther = /(?:[[,]|\bderiving)\s*$/.test(body.slice(Math.max(0, start - 100), start));
  return !isOther && identifierEnd(body, next) === next;
}

/** Whether something before the line is left out or failed, so that a declaration after it may depend on a gap. */
export function hasGapBefore(diagnostics: readonly Diagnostic[], line: number): boolean {
  const { errors, sorryWarnings } = factsOf(diagnostics.filter(({ range }) => range.start.line < line));
  return errors + sorryWarnings > 0;
}

/** Lean's answers, in the order of the names. */
export interface Asked {
  readonly kind: 'asked';
  readonly answers: readonly DeclarationAxioms[];
}

/**
 * Asks for the axioms of the names, in the place of the document's text. A name that Lean does not answer for counts as
 * unanswered, as the code may mean something else with the name.
 */
export async function askNamed(
  segments: readonly string[],
  names: readonly string[],
  { document, signal }: { readonly document: SegmentedDocument; readonly signal: AbortSignal },
): Promise<Asked | NoAnswer> {
  if (signal.aborted) return { kind: 'aborted' };
  document.become([...segments, axiomCommands([CONTROL, ...names])]);
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const answers = axiomsOf(settled.diagnostics, document.lineOf(segments.length) + 1, names);
  return { kind: 'asked', answers: answers.map((answer) => ({ ...answer, answered: answer.axioms !== null })) };
}
