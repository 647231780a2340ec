import { nameParts } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';
import { isRunnable, namesDeclared } from './declarations.ts';

/** What code opens, closes and declares, in order, by its tokens alone. Lean's own symbols decide where scopes matter. */
export type OutlineEvent =
  /** `names` has an entry for each scope: a namespace's name, or null for a section or an unknown name. */
  | { readonly kind: 'open'; readonly at: number; readonly names: readonly (string | null)[] }
  | { readonly kind: 'close'; readonly at: number; readonly count: number }
  | { readonly kind: 'declare'; readonly at: number; readonly name: string; readonly runnable: boolean };

/** The scopes that are open at an offset, outer ones first; an entry is null for a section or an unknown name. */
export type Scopes = readonly (string | null)[];

/** A declaration. */
export interface Declared {
  /** Fully qualified. */
  readonly name: string;
  /** UTF-16 offset of the name in the code. */
  readonly at: number;
  /** It can be a program. */
  readonly runnable: boolean;
}

interface Word {
  readonly text: string;
  readonly start: number;
  /** The name after it on the same line, or null. */
  readonly name: string | null;
}

export function outlineOf(code: string): OutlineEvent[] {
  const declared = namesDeclared(code).map(({ keyword, start, end }): OutlineEvent => {
    return { kind: 'declare', at: start, name: code.slice(start, end), runnable: isRunnable(keyword) };
  });
  return [...scopeWordsOf(code).flatMap(scopeEvent), ...declared].sort((a, b) => a.at - b.at);
}

/** Whether the code opens or closes a scope. */
export function usesScopes(outline: readonly OutlineEvent[]): boolean {
  return outline.some(({ kind }) => kind !== 'declare');
}

/** The declarations of the outline where `scopes` are open, and the scopes that are open after it. */
export function follow(outline: readonly OutlineEvent[], scopes: Scopes): { declared: Declared[]; scopes: Scopes } {
  let open = scopes;
  const declared: Declared[] = [];
  for (const event of outline) {
    if (event.kind === 'open') open = [...open, ...event.names];
    else if (event.kind === 'close') open = open.slice(0, Math.max(0, open.length - event.count));
    else declared.push({ name: qualified(open, event.name), at: event.at, runnable: event.runnable });
  }
  return { declared, scopes: open };
}

/** The words that may open or close a scope. */
function scopeWordsOf(code: string): Word[] {
  const words: Word[] = [];
  const tokens = tokensOf(code);
  for (const [index, { kind, start, end }] of tokens.entries()) {
    const text = kind === 'name' ? code.slice(start, end) : '';
    if (!SCOPE_WORDS.has(text)) continue;
    const next = tokens[index + 1];
    const isNamed = next?.kind === 'name' && !code.slice(end, next.start).includes('\n');
    words.push({ text, start, name: isNamed ? code.slice(next.start, next.end) : null });
  }
  return words;
}

const SCOPE_WORDS: ReadonlySet<string> = new Set(['namespace', 'section', 'mutual', 'end']);

/** Whether the word opens or closes a scope. */
export function isScopeWord(word: string): boolean {
  return SCOPE_WORDS.has(word);
}

function scopeEvent({ text, start, name }: Word): OutlineEvent[] {
  const parts = name === null ? [] : (nameParts(name) ?? []);
  if (text === 'namespace' && parts.length > 0) return [{ kind: 'open', at: start, names: parts.map(escaped) }];
  if (text === 'namespace' || text === 'section')
    return [{ kind: 'open', at: start, names: parts.length > 0 ? parts.map(() => null) : [null] }];
  if (text === 'mutual') return [{ kind: 'open', at: start, names: [null] }];
  return text === 'end' ? [{ kind: 'close', at: start, count: Math.max(1, parts.length) }] : [];
}

/** A component of a name as it can be written. */
function escaped(part: string): string {
  return nameParts(part)?.length === 1 ? part : `«${part}»`;
}

function qualified(scopes: Scopes, name: string): string {
  if (name.startsWith('_root_.')) return name.slice('_root_.'.length);
  return [...scopes.filter((scope) => scope !== null), name].join('.');
}
