import { z } from 'zod';
import { Diagnostic, Range } from '../../../../src/languages/lean/lsp/messages.ts';
import { transcript } from '../lsp/script.ts';

/** A recorded cell with Lean's diagnostics; lines count from the cell's first. */
export interface RecordedCell {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

const Change = z.object({
  method: z.literal('textDocument/didChange'),
  params: z.object({
    textDocument: z.object({ version: z.int() }),
    contentChanges: z.tuple([z.object({ range: Range, text: z.string() })]),
  }),
});
const Published = z.object({
  method: z.literal('textDocument/publishDiagnostics'),
  params: z.object({ version: z.int(), diagnostics: z.array(Diagnostic) }),
});

/** The cells that a recorded conversation puts into its document. */
export function recordedCells(name: string): RecordedCell[] {
  const script = transcript(name);
  const last = new Map<number, readonly Diagnostic[]>();
  for (const { message } of script) {
    const { data } = Published.safeParse(message);
    if (data) last.set(data.params.version, data.params.diagnostics);
  }
  return script.flatMap(({ message }) => {
    const { data } = Change.safeParse(message);
    if (!data) return [];
    const [{ range, text }] = data.params.contentChanges;
    if (text === '') return [];
    const first = range.start.line;
    // A replaced cell has other cells after it.
    const end = range.end.line > first ? first + text.split('\n').length - 1 : Number.POSITIVE_INFINITY;
    const all = last.get(data.params.textDocument.version) ?? [];
    const before = new Set(last.get(data.params.textDocument.version - 1)?.map(startOf));
    // An unfinished cell has its error where the next one starts.
    const own = all.filter(
      (one) => first <= one.range.start.line && one.range.start.line < end && !before.has(startOf(one)),
    );
    return [{ text, diagnostics: own.map((one) => moved(one, -first)) }];
  });
}

/** The diagnostic so many lines further down. */
export function moved(diagnostic: Diagnostic, lines: number): Diagnostic {
  const { range, fullRange = range } = diagnostic;
  return { ...diagnostic, range: movedRange(range, lines), fullRange: movedRange(fullRange, lines) };
}

function movedRange({ start, end }: Diagnostic['range'], lines: number): Diagnostic['range'] {
  return { start: { ...start, line: start.line + lines }, end: { ...end, line: end.line + lines } };
}

function startOf({ range: { start } }: Diagnostic): string {
  return `${start.line}:${start.character}`;
}
