import { z } from 'zod';
import type { Steps } from '../../../base/slices.ts';
import { ProtocolError } from './framing.ts';

/** What a Lean server says, as far as it is used; fields that are not named here are dropped. */

const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** A place in a document: line and UTF-16 unit in it, both from 0. */
export const Position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
export type Position = z.infer<typeof Position>;

/** A span of a document; its end is behind it. */
export const Range = z.object({ start: Position, end: Position });
export type Range = z.infer<typeof Range>;

/** What a diagnostic's `leanTags` mean. */
export const LeanTag = { unsolvedGoals: 1, goalsAccomplished: 2 } as const;

/** Severity is 1 error, 2 warning, 3 information, 4 hint; the server may leave it out. */
export const Diagnostic = z.object({
  range: Range,
  /** The whole range, where `range` is cut at the end of its first line. */
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

/** Diagnostics of a version of a document. */
export interface PublishDiagnostics {
  readonly uri: string;
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Added to what was published of the same version instead of replacing it. */
  readonly isIncremental: boolean;
}

/** Diagnostics that are taken at a time. */
const PART = 500;

/**
 * Reads the params of `textDocument/publishDiagnostics` and hands them to `take`: in parts that add to one another, since
 * there may be any number of diagnostics.
 */
export function* readDiagnostics(
  params: unknown,
  take: (published: PublishDiagnostics, isFirst: boolean) => void,
): Steps {
  const { diagnostics, isIncremental = false, uri, version } = parse(PublishDiagnosticsParams, params, 'diagnostics');
  for (let from = 0; from === 0 || from < diagnostics.length; from += PART) {
    const part: Diagnostic[] = [];
    for (const diagnostic of diagnostics.slice(from, from + PART)) {
      part.push(parse(Diagnostic, diagnostic, 'diagnostic'));
      yield;
    }
    take({ uri, version, isIncremental: isIncremental || from > 0, diagnostics: part }, from === 0);
  }
}

/** What `kind` of a part in progress means; without one it is being processed. */
export const ProgressKind = { processing: 1, fatalError: 2 } as const;

const Part = z.object({ range: Range, kind: optional(z.literal([1, 2])) });
const FileProgressParams = z.object({
  textDocument: z.object({ uri: z.string(), version: optional(z.int()) }),
  processing: List,
});

/** How far the server has come with a document. */
export interface FileProgress {
  readonly uri: string;
  readonly version: number | undefined;
  /** Where Lean stopped for good; else the first place that is not checked yet; null when all is. */
  readonly stoppedAt: Position | null;
}

/** The progress that the params of `$/lean/fileProgress` tell. Throws `ProtocolError`. */
export function fileProgressOf(params: unknown): FileProgress {
  const { textDocument, processing } = parse(FileProgressParams, params, 'progress');
  // A busy server tells of many parts many times, so that only the one that matters is looked at.
  const stopped = processing.find(isFatal) ?? processing[0];
  return { ...textDocument, stoppedAt: stopped === undefined ? null : parse(Part, stopped, 'progress').range.start };
}

function isFatal(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === ProgressKind.fatalError;
}

/** The goals at a place in a tactic proof; null where there is none. */
export const PlainGoal = z.object({ rendered: z.string(), goals: z.array(z.string()) }).nullable();
export type PlainGoal = z.infer<typeof PlainGoal>;

/** The type expected of the term at a place; null where there is none. */
export const PlainTermGoal = z.object({ goal: z.string(), range: Range }).nullable();
export type PlainTermGoal = z.infer<typeof PlainTermGoal>;

const Marked = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]);

/** What is known of the thing at a place, as Markdown; null where there is nothing. */
export const Hover = z
  .object({
    contents: z.union([Marked, z.array(Marked).transform((parts) => parts.join('\n\n'))]),
    range: optional(Range),
  })
  .nullable();
export type Hover = z.infer<typeof Hover>;

export const CompletionItem = z.object({
  label: z.string(),
  kind: optional(z.int()),
  detail: optional(z.string()),
  documentation: optional(Marked),
  sortText: optional(z.string()),
  filterText: optional(z.string()),
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

/** Completions at a place; `isIncomplete` when there are others, or more typing may bring others. */
export interface Completions {
  readonly items: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

const CompletionsResult = z.union([
  z.null().transform(() => ({ items: [], isIncomplete: false })),
  List.transform((items) => ({ items, isIncomplete: false })),
  z.object({ items: List, isIncomplete: z.boolean().default(false) }),
]);
/** More than anybody looks through; a large library has many times as many. */
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

/** Where something is defined: the whole of it, and its name. */
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

/** The places of a definition, in any of the protocol's three spellings. */
export const Places = z.union([
  z.null().transform((): Place[] => []),
  z.array(Link),
  Link.transform((link): Place[] => [link]),
]);
export type Places = z.infer<typeof Places>;

/** A declaration, namespace or section of a document with what is inside. */
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
/** What is nested deeper is left out: who asks what it declares is told that nothing is known of it. */
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

/** The answer to `initialize`, as far as it is used. */
export const Initialized = z.object({
  serverInfo: optional(z.object({ name: z.string(), version: optional(z.string()) })),
});

/** `value` as `schema` has it. Throws `ProtocolError` that names `what` it was. */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(`malformed ${what}: ${z.prettifyError(parsed.error)}`);
}

/** Reads what is small, all at once. */
export function reader<T extends z.ZodType>(schema: T, what: string): (value: unknown) => Steps<z.output<T>> {
  // biome-ignore lint/correctness/useYield: there is nothing to pause for.
  return function* read(value) {
    return parse(schema, value, what);
  };
}
