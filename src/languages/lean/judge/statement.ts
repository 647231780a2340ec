import { follow, outlineOf } from '../check/outline.ts';
import { skipBlank } from '../text/blank.ts';
import { identifierEnd, nameParts } from '../text/identifier.ts';
import { withLineFeeds } from '../text/position.ts';

/** A theorem as asked for, taken apart. */
export interface Statement {
  /** As written after `theorem`. */
  readonly name: string;
  /** What follows the name, up to the proof: universes, binders and the proposition. */
  readonly signature: string;
}

const KEYWORDS: ReadonlySet<string> = new Set(['theorem', 'lemma']);
/** A proof that is left out. */
const LEFT_OUT = /:=\s*(?:(?:by\s+)?sorry|by)?\s*$/;

/** What a statement must look like. */
export const STATEMENT_FORM = 'one theorem without its proof, such as "theorem add_zero (n : Nat) : n + 0 = n"';

/** Parses a statement; null when it has another form. A left-out proof (`:= sorry`) may end it. */
export function parseStatement(given: string): Statement | null {
  const text = withLineFeeds(given);
  const start = skipBlank(text, 0, 'any');
  const afterKeyword = identifierEnd(text, start);
  const nameStart = skipBlank(text, afterKeyword, 'any');
  const nameEnd = identifierEnd(text, nameStart);
  const name = text.slice(nameStart, nameEnd);
  const signature = text.slice(nameEnd).trimEnd().replace(LEFT_OUT, '').trimEnd();
  const isTheorem = KEYWORDS.has(text.slice(start, afterKeyword)) && nameParts(name) !== null;
  return isTheorem && signature.includes(':') ? { name, signature } : null;
}

/** The full name, without `_root_`, of what `name` declares after this code. */
export function declaredName(code: string, name: string): string {
  const event = { kind: 'declare', at: code.length, name, runnable: false } as const;
  const { declared } = follow([...outlineOf(code), event], []);
  return declared.at(-1)?.name ?? name;
}

/** The name with another last component. */
export function sibling(name: string, component: string): string {
  const last = nameParts(name)?.at(-1) ?? name;
  const plain = name.endsWith('»') ? last.length + 2 : last.length;
  return `${name.slice(0, name.length - plain)}${component}`;
}
