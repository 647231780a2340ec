import { z } from 'zod';
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

export const PublishDiagnostics = z.object({
  uri: z.string(),
  version: optional(z.int()),
  diagnostics: z.array(Diagnostic),
  /** Added to what was published of the same version instead of replacing it. */
  isIncremental: optional(z.boolean()),
});
export type PublishDiagnostics = z.infer<typeof PublishDiagnostics>;

/** What `kind` of a part in progress means; without one it is being processed. */
export const ProgressKind = { processing: 1, fatalError: 2 } as const;

export const FileProgress = z.object({
  textDocument: z.object({ uri: z.string(), version: optional(z.int()) }),
  processing: z.array(z.object({ range: Range, kind: optional(z.literal([1, 2])) })),
});
export type FileProgress = z.infer<typeof FileProgress>;

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

/** Completions at a place; `isIncomplete` when more typing may bring others. */
export const Completions = z.union([
  z.null().transform(() => ({ items: [], isIncomplete: false })),
  z.array(CompletionItem).transform((items) => ({ items, isIncomplete: false })),
  z.object({ items: z.array(CompletionItem), isIncomplete: z.boolean().default(false) }),
]);
export type Completions = z.infer<typeof Completions>;

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
export const DocumentSymbol = z.object({
  name: z.string(),
  detail: optional(z.string()),
  kind: z.int(),
  range: Range,
  selectionRange: Range,
  get children() {
    return z.array(DocumentSymbol).nullish();
  },
});
export type DocumentSymbol = z.infer<typeof DocumentSymbol>;

/** The top-level symbols of a document, in order. */
export const DocumentSymbols = z.union([z.null().transform((): DocumentSymbol[] => []), z.array(DocumentSymbol)]);
export type DocumentSymbols = z.infer<typeof DocumentSymbols>;

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
