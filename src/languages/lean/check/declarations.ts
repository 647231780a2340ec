import type { Range } from '../lsp/messages.ts';
import type { DocumentSymbol } from '../lsp/queryResults.ts';
import { skipBlank } from '../text/blank.ts';
import { identifierEnd, nameParts } from '../text/identifier.ts';
import type { LineTable, TextRange } from '../text/position.ts';
import { type Token, tokensOf } from '../text/tokens.ts';

/** A named declaration. */
export interface Declaration {
  /** Fully qualified, with `«»` as written. */
  readonly name: string;
  /** For example `theorem` or `def`. */
  readonly keyword: string;
  /** Of the name, in the document. */
  readonly nameRange: Range;
}

/** The symbol kind of both `namespace` and `section`. */
const CONTAINER = 3;

/** The keywords after which a declaration's name follows. */
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
  'coinductive',
  'structure',
  'class',
]);

/** Whether the word is a keyword after which a declaration's name can follow. */
export function isDeclarationKeyword(word: string): boolean {
  return KEYWORDS.has(word);
}

/** The document's named declarations; `keywords` are the offsets of those of Lean's own keywords that tokens may not show. */
export function declarationsOf(
  symbols: readonly DocumentSymbol[],
  table: LineTable,
  keywords: readonly number[] = [],
): Declaration[] {
  const namespaces = namespacesIn(symbols, table, { name: '', start: 0, end: table.text.length });
  return [...namesDeclared(table.text), ...namesAfter(keywords, table.text)].map(({ keyword, start, end }) => {
    // Lean's symbols show the namespaces, but not what `open … in`, `mutual` or a notation such as `lemma` declares.
    const within = namespaces.findLast((space) => space.start <= start && start < space.end)?.name ?? '';
    return {
      name: qualified(within, table.text.slice(start, end)),
      keyword,
      nameRange: { start: table.positionAt(start), end: table.positionAt(end) },
    };
  });
}

/** The distinct names of the declarations whose name is in the range. */
export function namesWithin(declarations: readonly Declaration[], table: LineTable, range: TextRange): string[] {
  const own = declarations.filter(({ nameRange }) => {
    const at = table.offsetAt(nameRange.start);
    return range.start <= at && at < range.end;
  });
  return [...new Set(own.map(({ name }) => name))];
}

interface NamespaceRange extends TextRange {
  readonly name: string;
}

/** The namespaces with their full names, outer ones before inner ones. */
function namespacesIn(symbols: readonly DocumentSymbol[], table: LineTable, around: NamespaceRange): NamespaceRange[] {
  return symbols
    .filter(({ kind }) => kind === CONTAINER)
    .flatMap((symbol) => {
      const name = isNamespace(symbol, table) ? qualified(around.name, symbol.name) : around.name;
      const [start, end] = [table.offsetAt(symbol.range.start), table.offsetAt(symbol.range.end)];
      // Early versions end an open namespace with its first line.
      const range = { name, start, end: isClosed(table.text.slice(start, end)) ? end : around.end };
      return [range, ...namespacesIn(symbol.children ?? [], table, range)];
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

/** The names that the code's tokens declare, as written, with their UTF-16 offsets. */
export function namesDeclared(code: string): { keyword: string; start: number; end: number }[] {
  const tokens = tokensOf(code);
  const wordAt = (index: number) => {
    const token = tokens[index];
    return token?.kind === 'name' ? code.slice(token.start, token.end) : '';
  };
  const declared: { keyword: string; start: number; end: number }[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const keyword = wordAt(index);
    if (!KEYWORDS.has(keyword)) continue;
    const priority = keyword === 'instance' && wordAt(index + 2) === 'priority';
    const next = tokens[priority ? afterBracket(code, tokens, index + 1) : index + 1];
    if (next?.kind !== 'name') continue;
    // `class inductive` is one keyword, and `deriving instance` is followed by a class.
    if (KEYWORDS.has(wordAt(index + 1)) || wordAt(index - 1) === 'deriving') continue;
    declared.push({ keyword, start: next.start, end: next.end });
  }
  return declared;
}

/** A priority has few tokens. */
const MAX_PRIORITY = 12;

/** The index of the token after the bracket that opens at `index`; `index` if it does not end soon. */
function afterBracket(code: string, tokens: readonly Token[], index: number): number {
  const length = tokens.slice(index, index + MAX_PRIORITY).findIndex(({ start }) => code[start] === ')');
  return length < 0 ? index : index + length + 1;
}

/** The names after the keywords of declarations at these offsets. */
function namesAfter(keywords: readonly number[], code: string): { keyword: string; start: number; end: number }[] {
  return keywords.flatMap((offset) => {
    const end = identifierEnd(code, offset);
    const keyword = code.slice(offset, end);
    const name = skipBlank(code, end, 'any');
    const isDeclared = KEYWORDS.has(keyword) && identifierEnd(code, name) > name;
    return isDeclared ? [{ keyword, start: name, end: identifierEnd(code, name) }] : [];
  });
}

/** The program of a document. */
export interface MainDeclaration {
  /** From its modifiers to the end of its body, in the document. */
  readonly range: Range;
  readonly nameRange: Range;
}

const RUNNABLE: ReadonlySet<string> = new Set(['def', 'abbrev', 'opaque', 'constant']);

/** Whether a declaration with this keyword can be a program. */
export function isRunnable(keyword: string): boolean {
  return RUNNABLE.has(keyword);
}

/** The last `main` of the document outside of namespaces, or null. */
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
