import { z } from 'zod';
import type { Steps } from '../../../base/slices.ts';
import { ProtocolError } from './framing.ts';

// The messages of a server as far as they are used: other fields are dropped.

/** A field that a server may omit or send as null. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

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

/** A list whose entries are parsed one by one. */
export const List = z.custom<readonly unknown[]>(Array.isArray, 'not an array');
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
