import type { LeanDocument } from '../lsp/document.ts';
import { identifierEnd } from './identifier.ts';
import type { TextRange } from './position.ts';
import { tokensOf } from './tokens.ts';

/** Words that define notations and commands, which can change what is a token. */
const DEFINING = /notation|infix|prefix|postfix|syntax|macro|elab|declare_|binder_/;
/** The words that declare something, or open or close a scope. */
const KEYWORD =
  /\b(?:theorem|lemma|def|abbrev|instance|axiom|constant|opaque|inductive|coinductive|structure|class|example|namespace|section|mutual|end)\b/g;

/**
 * Whether Lean may read `code` after `before` in a way that its tokens do not show: notations are defined, or a keyword is in
 * what looks like a comment or a string, for example because of a quote in a hole of a string. True in doubt.
 */
export function mayBeMisread(before: string, code: string): boolean {
  if (DEFINING.test(before) || DEFINING.test(code)) return true;
  const tokens = tokensOf(code);
  let next = 0;
  for (const { index } of code.matchAll(KEYWORD)) {
    while ((tokens[next]?.start ?? index) < index) next += 1;
    if (tokens[next]?.start !== index) return true;
  }
  return false;
}

/** The offsets of keywords in a range of the document, as Lean reads it, that are no names among the range's tokens. */
export async function unseenKeywords(document: LeanDocument, range: TextRange, signal: AbortSignal): Promise<number[]> {
  const { text, table } = document;
  const [start, end] = [table.positionAt(range.start), table.positionAt(range.end)];
  const keywords = await document.keywords({ start, end }, signal);
  if (keywords.kind !== 'ok') return [];
  const names = tokensOf(text.slice(range.start, range.end)).filter(({ kind }) => kind === 'name');
  const shown = new Set(names.map(({ start }) => range.start + start));
  return keywords.value
    .map((position) => table.offsetAt(position))
    .filter((offset) => range.start <= offset && offset < range.end)
    .filter((offset) => !shown.has(offset) && identifierEnd(text, offset) > offset);
}
