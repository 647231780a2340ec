import { z } from 'zod';
import type { Steps } from '../../../base/slices.ts';
import { ProtocolError } from './framing.ts';

/** The messages of a Lean server, as far as they are used; fields that are not named here are dropped. */

const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A position in a document: a line and a UTF-16 unit in it, both from 0. */
export const Position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
export type Position = z.infer<typeof Position>;

/** A range of a document; its end is exclusive. */
export const Range = z.object({ start: Position, end: Position });
export type Range = z.infer<typeof Range>;

/** The meanings of a diagnostic's `leanTags`. */
export const LeanTag = { unsolvedGoals: 1, goalsAccomplished: 2 } as const;

/** A diagnostic; severity is 1 error, 2 warning, 3 information, 4 hint, and optional. */
export const Diagnostic = z.object({
  range: Range,
  /** The whole range; `range` ends with its first line. */
  fullRange: optional(Range),
  severity: optional(z.literal([1, 2, 3, 4])),
  message: z.string(),
  source: optional(z.string()),
  leanTags: optional(z.array(z.int())),
  isSilent: optional(z.boolean()),
});
export type Diagnostic = z.infer<typeof Diagnostic>;

const List = z.custom<readonly unknown[]>(Array.isArray, 'not an array');
const PublishDiagnosticsParams = z.object({
  uri: z.string(),
  version: optional(z.int()),
  diagnostics: List,
  isIncremental: optional(z.boolean()),
});

/** A publication of diagnostics of one version of a document. */
export interface PublishDiagnostics {
  readonly uri: string;
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Adds to the version's earlier publications instead of replacing them. */
  readonly isIncremental: boolean;
}

/** How many diagnostics one call of `take` receives at most. */
const CHUNK = 500;

/**
 * Reads the params of `textDocument/publishDiagnostics` and passes them to `take` in chunks, since their number has no
 * bound; each chunk after the first is incremental.
 */
export function* readDiagnostics(
  params: unknown,
  take: (published: PublishDiagnostics, isFirst: boolean) => void,
): Steps {
  const { diagnostics, isIncremental = false, uri, version } = parse(PublishDiagnosticsParams, params, 'diagnostics');
  for (let from = 0; from === 0 || from < diagnostics.length; from += CHUNK) {
    const chunk: Diagnostic[] = [];
    for (const diagnostic of diagnostics.slice(from, from + CHUNK)) {
      chunk.push(parse(Diagnostic, diagnostic, 'diagnostic'));
      yield;
    }
    take({ uri, version, isIncremental: isIncremental || from > 0, diagnostics: chunk }, from === 0);
  }
}

/** The `kind` of a progress part at which Lean stopped for good; any other part is being processed. */
const FATAL_ERROR = 2;

const ProgressPart = z.object({ range: Range, kind: optional(z.literal([1, 2])) });
const FileProgressParams = z.object({
  textDocument: z.object({ uri: z.string(), version: optional(z.int()) }),
  processing: List,
});

/** How far the server has processed a document. */
export interface FileProgress {
  readonly uri: string;
  readonly version: number | undefined;
  /** Where Lean stopped for good; otherwise the first position not yet checked; null when everything is checked. */
  readonly stoppedAt: Position | null;
}

/** Reads the params of `$/lean/fileProgress`. Throws `ProtocolError`. */
export function fileProgressOf(params: unknown): FileProgress {
  const { textDocument, processing } = parse(FileProgressParams, params, 'progress');
  // A busy server lists many parts many times, so only the one that matters is parsed.
  const stopped = processing.find(isFatal) ?? processing[0];
  return {
    ...textDocument,
    stoppedAt: stopped === undefined ? null : parse(ProgressPart, stopped, 'progress').range.start,
  };
}

function isFatal(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === FATAL_ERROR;
}

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

/** The answer to `initialize`, of which nothing is used. */
export const Initialized = z.object({});

/** Parses `value` by `schema`. Throws `ProtocolError` that names `what` is malformed. */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(`malformed ${what}: ${z.prettifyError(parsed.error)}`);
}

/** A reader for a small value, which it parses in one step. */
export function reader<T extends z.ZodType>(schema: T, what: string): (value: unknown) => Steps<z.output<T>> {
  // biome-ignore lint/correctness/useYield: a small value needs no pause.
  return function* read(value) {
    return parse(schema, value, what);
  };
}
