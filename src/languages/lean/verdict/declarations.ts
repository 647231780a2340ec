import type { DocumentSymbol, Range } from '../lsp/messages.ts';
import { nameParts } from '../text/identifier.ts';
import type { LineTable } from '../text/position.ts';
import { tokensOf } from '../text/tokens.ts';

/** Something with a name that code declares. */
export interface Declaration {
  /** Fully qualified, with `«»` as written. */
  readonly name: string;
  /** The word that declares it, such as `theorem` or `def`. */
  readonly keyword: string;
  /** Of the name, in the document. */
  readonly nameRange: Range;
}

/** LSP's kind for what Lean's `namespace` and `section` are both told as. */
const CONTAINER = 3;

const KEYWORDS: ReadonlySet<string> = new Set([
  'theorem',
  'lemma',
  'def',
  'abbrev',
  'instance',
  'axiom',
  'constant',
  'opaque',
  'inductive',
  'structure',
  'class',
]);

/** What the document declares, in its order; what has no name is left out. */
export function declarationsOf(symbols: readonly DocumentSymbol[], table: LineTable): Declaration[] {
  const namespaces = namespacesIn(symbols, table, { name: '', start: 0, end: table.text.length });
  return namesDeclared(table.text).map(({ keyword, start, end }) => {
    // The symbols tell where namespaces are, but not what `open … in`, `mutual` or a notation such as `lemma` declares.
    const within = namespaces.findLast((space) => space.start <= start && start < space.end)?.name ?? '';
    return {
      name: qualified(within, table.text.slice(start, end)),
      keyword,
      nameRange: { start: table.positionAt(start), end: table.positionAt(end) },
    };
  });
}

interface Stretch {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The namespaces with their full names, outer ones before those in them. */
function namespacesIn(symbols: readonly DocumentSymbol[], table: LineTable, around: Stretch): Stretch[] {
  return symbols
    .filter(({ kind }) => kind === CONTAINER)
    .flatMap((symbol) => {
      const name = isNamespace(symbol, table) ? qualified(around.name, symbol.name) : around.name;
      const [start, end] = [table.offsetAt(symbol.range.start), table.offsetAt(symbol.range.end)];
      // One that is still open is told by early versions as if it ended with its first line.
      const stretch = { name, start, end: isClosed(table.text.slice(start, end)) ? end : around.end };
      return [stretch, ...namespacesIn(symbol.children ?? [], table, stretch)];
    });
}

/** Whether the last command is `end`, with or without a name. */
function isClosed(code: string): boolean {
  const last = tokensOf(code).slice(-2);
  return last.some(({ start, end }) => code.slice(start, end) === 'end');
}

function isNamespace({ name, range, selectionRange }: DocumentSymbol, table: LineTable): boolean {
  const before = table.text.slice(table.offsetAt(range.start), table.offsetAt(selectionRange.start));
  const last = tokensOf(before).at(-1);
  return last !== undefined && before.slice(last.start, last.end) === 'namespace' && nameParts(name) !== null;
}

function qualified(within: string, name: string): string {
  if (name.startsWith('_root_.')) return name.slice('_root_.'.length);
  return within === '' ? name : `${within}.${name}`;
}

/** The names that code declares with their words and UTF-16 offsets, as its tokens tell; namespaces play no part. */
export function namesDeclared(code: string): { keyword: string; start: number; end: number }[] {
  const tokens = tokensOf(code);
  const wordAt = (index: number) => {
    const token = tokens[index];
    return token?.kind === 'name' ? code.slice(token.start, token.end) : '';
  };
  const declared: { keyword: string; start: number; end: number }[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const keyword = wordAt(index);
    const next = tokens[index + 1];
    if (!KEYWORDS.has(keyword) || next?.kind !== 'name') continue;
    // `class inductive` is one keyword in two words, and `deriving instance` is followed by a class.
    if (KEYWORDS.has(wordAt(index + 1)) || wordAt(index - 1) === 'deriving') continue;
    declared.push({ keyword, start: next.start, end: next.end });
  }
  return declared;
}

/** The program of a document. */
export interface MainDeclaration {
  /** From its modifiers to the end of its body, in the document. */
  readonly range: Range;
  readonly nameRange: Range;
}

const RUNNABLE: ReadonlySet<string> = new Set(['def', 'abbrev', 'opaque', 'constant']);

/** Whether what the word declares can be a program. */
export function isRunnable(keyword: string): boolean {
  return RUNNABLE.has(keyword);
}

/** The last `def main` of the document that is in no namespace, or null. */
export function findMain(symbols: readonly DocumentSymbol[], table: LineTable): MainDeclaration | null {
  const main = declarationsOf(symbols, table).findLast(({ name, keyword }) => name === 'main' && isRunnable(keyword));
  if (!main) return null;
  const start = table.offsetAt(main.nameRange.start);
  const symbol = flatten(symbols).find(({ selectionRange }) => table.offsetAt(selectionRange.start) === start);
  return symbol ? { range: symbol.range, nameRange: main.nameRange } : null;
}

function flatten(symbols: readonly DocumentSymbol[]): DocumentSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...flatten(symbol.children ?? [])]);
}
