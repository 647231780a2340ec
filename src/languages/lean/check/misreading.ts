import type { LeanDocument } from '../lsp/document.ts';
import { identifierEnd } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';

/** Words that define notations and commands, which can change what is a token. */
const DEFINING = /notation|infix|prefix|postfix|syntax|macro|elab|declare_|binder_/;
/** The words that declare something, or open or close a scope. */
const KEYWORD =
  /\b(?:theorem|lemma|def|abbrev|instance|axiom|constant|opaque|inductive|structure|class|example|namespace|section|mutual|end)\b/g;

/**
 * Whether Lean may read `code` after `before` in a way that its tokens do not show: notations are defined, or a keyword is in
 * what looks like a comment or a string, for example because of a quote in a hole of a string. True in doubt.
 */
export function mayBeMisread(before: string, code: string): boolean {
  if (DEFINING.test(before) || DEFINING.test(code)) return true;
  const shown = new Set(tokensOf(code).map(({ start }) => start));
  return [...code.matchAll(KEYWORD)].some(({ index }) => !shown.has(index));
}

/** The offsets of keywords in Lean's reading of the document that are no names among its tokens. */
export async function unseenKeywords(document: LeanDocument, signal: AbortSignal): Promise<number[]> {
  const { text, table } = document;
  const keywords = await document.keywords(signal);
  if (keywords.kind !== 'ok') return [];
  const shown = new Set(tokensOf(text).flatMap(({ kind, start }) => (kind === 'name' ? [start] : [])));
  return keywords.value
    .map((position) => table.offsetAt(position))
    .filter((offset) => !shown.has(offset) && identifierEnd(text, offset) > offset);
}
