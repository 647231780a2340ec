import { z } from 'zod';
import type { Steps } from '../../../base/slices.ts';
import { List, optional, type Position, parse, Range } from './messages.ts';

/** The goals at a position in a tactic proof; null where there are none. */
export const PlainGoal = z.object({ rendered: z.string(), goals: z.array(z.string()) }).nullable();
export type PlainGoal = z.infer<typeof PlainGoal>;

/** The expected type of the term at a position; null where there is none. */
export const PlainTermGoal = z.object({ goal: z.string(), range: Range }).nullable();
export type PlainTermGoal = z.infer<typeof PlainTermGoal>;

const Marked = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]);

/** The documentation of the symbol at a position, as Markdown; null where there is none. */
export const Hover = z
  .object({
    contents: z.union([Marked, z.array(Marked).transform((parts) => parts.join('\n\n'))]),
    range: optional(Range),
  })
  .nullable();
export type Hover = z.infer<typeof Hover>;

export const CompletionItem = z.object({
  label: z.string(),
  insertText: optional(z.string()),
  textEdit: optional(
    z.union([
      z.object({ newText: z.string(), range: Range }),
      z.object({ newText: z.string(), insert: Range, replace: Range }).transform(({ newText, replace }) => ({
        newText,
        range: replace,
      })),
    ]),
  ),
});
export type CompletionItem = z.infer<typeof CompletionItem>;

/** Completions at a position; `isIncomplete` when there are more, or when more typing may yield others. */
export interface Completions {
  readonly items: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

const CompletionsResult = z.union([
  z.null().transform(() => ({ items: [], isIncomplete: false })),
  List.transform((items) => ({ items, isIncomplete: false })),
  z.object({ items: List, isIncomplete: z.boolean().default(false) }),
]);
/** How many completions are kept; a large library offers many times as many. */
const MAX_COMPLETIONS = 2_000;

export function* readCompletions(result: unknown): Steps<Completions> {
  const { items, isIncomplete } = parse(CompletionsResult, result, 'completions');
  const read: CompletionItem[] = [];
  for (const item of items.slice(0, MAX_COMPLETIONS)) {
    read.push(parse(CompletionItem, item, 'completion'));
    yield;
  }
  return { items: read, isIncomplete: isIncomplete || items.length > MAX_COMPLETIONS };
}

/** Where a symbol is defined: the range of its whole definition, and of its name. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
  readonly nameRange: Range;
}

const Link = z.union([
  z
    .object({ targetUri: z.string(), targetRange: Range, targetSelectionRange: Range })
    .transform(
      (link): Place => ({ uri: link.targetUri, range: link.targetRange, nameRange: link.targetSelectionRange }),
    ),
  z.object({ uri: z.string(), range: Range }).transform(({ uri, range }): Place => ({ uri, range, nameRange: range })),
]);

/** The definitions of a symbol, in any of the protocol's three forms. */
export const Places = z.union([
  z.null().transform((): Place[] => []),
  z.array(Link),
  Link.transform((link): Place[] => [link]),
]);
export type Places = z.infer<typeof Places>;

/** A declaration, namespace or section of a document with its children. */
export interface DocumentSymbol {
  readonly name: string;
  readonly kind: number;
  readonly range: Range;
  readonly selectionRange: Range;
  readonly children: readonly DocumentSymbol[];
}

const SymbolResult = z.object({
  name: z.string(),
  kind: z.int(),
  range: Range,
  selectionRange: Range,
  children: List.nullish(),
});
const SymbolsResult = z.union([z.null().transform(() => []), List]);
/** Symbols that are nested deeper are left out; nothing counts as known about what they declare. */
const MAX_DEPTH = 100;

/** Reads the top-level symbols of a document, in order. */
export function* readSymbols(result: unknown): Steps<DocumentSymbol[]> {
  return yield* symbolsIn(parse(SymbolsResult, result, 'symbols'), MAX_DEPTH);
}

function* symbolsIn(results: readonly unknown[], depth: number): Steps<DocumentSymbol[]> {
  const symbols: DocumentSymbol[] = [];
  for (const result of depth > 0 ? results : []) {
    const { children, ...symbol } = parse(SymbolResult, result, 'symbol');
    symbols.push({ ...symbol, children: yield* symbolsIn(children ?? [], depth - 1) });
    yield;
  }
  return symbols;
}

const SemanticTokens = z.union([z.null().transform(() => ({ data: [] })), z.object({ data: List })]);
/** Lines after the token before, UTF-16 units after it or in the line, length, type, modifiers. */
const SemanticToken = z.array(z.int().nonnegative()).length(5);
/** The first type in the legend of every version of Lean. */
const KEYWORD_TYPE = 0;

/** Reads the places of the keywords among a document's semantic tokens, in order. */
export function* readKeywords(result: unknown): Steps<Position[]> {
  const { data } = parse(SemanticTokens, result, 'semantic tokens');
  const keywords: Position[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [lines = 0, units = 0, , type] = parse(SemanticToken, data.slice(at, at + 5), 'semantic token');
    character = lines > 0 ? units : character + units;
    line += lines;
    if (type === KEYWORD_TYPE) keywords.push({ line, character });
    yield;
  }
  return keywords;
}
