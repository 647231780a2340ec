import { type CellSource, cellSource } from '../check/cellSource.ts';
import { type Header, joinHeaders, parseHeader } from '../text/header.ts';
import { type ImportRange, importRanges } from '../text/importRanges.ts';
import {
  LineTable,
  type SourcePosition,
  type TextRange,
  toDocumentOffset,
  toRegionPosition,
  withLineFeeds,
} from '../text/position.ts';
import { tokensOf } from '../text/tokens.ts';

/** Code of a one-shot check, taken apart for a document. */
export interface ComposedCode extends CellSource {
  /** The header that the code and its context need together. */
  readonly header: Header;
  /** The code's own imports. */
  readonly imports: readonly ImportRange[];
}

/** The code after its context, with line ends as Lean counts them. */
export function composeCode(codeAsGiven: string, contextAsGiven: string): ComposedCode {
  const [code, context] = [withLineFeeds(codeAsGiven), withLineFeeds(contextAsGiven)];
  const own = parseHeader(code);
  const shared = parseHeader(context);
  const rest = context.slice(shared.end);
  const lead = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  return {
    ...cellSource(lead + code.slice(own.end), lead.length, new LineTable(code).sourcePositionAt(own.end)),
    header: context === '' ? own : joinHeaders(shared, own),
    imports: importRanges(code, own),
  };
}

/** The offset in the body of a position of the caller's. */
export function offsetOf({ body, from, origin }: ComposedCode, at: SourcePosition): number {
  return toDocumentOffset(new LineTable(body), { start: from, end: body.length, origin }, at);
}

/** The code with a tactic at `at`, in the place of the `sorry` that starts there; `put` is the tactic's range in the body. */
export function withTactic(
  code: ComposedCode,
  at: SourcePosition,
  tacticAsGiven: string,
): { readonly code: ComposedCode; readonly put: TextRange } {
  const { body, offset } = padded(code, at);
  const replaced = tokensOf(body).find(({ start, end }) => start === offset && body.slice(start, end) === 'sorry');
  const indent = ' '.repeat(offset - (body.lastIndexOf('\n', offset - 1) + 1));
  const tactic = withLineFeeds(tacticAsGiven).trimEnd().split('\n').join(`\n${indent}`);
  const rest = body.slice(replaced?.end ?? offset);
  const gap = replaced || rest === '' || rest.startsWith('\n') ? '' : `\n${indent}`;
  return {
    code: { ...code, ...cellSource(`${body.slice(0, offset)}${tactic}${gap}${rest}`, code.from, code.origin) },
    put: { start: offset, end: offset + tactic.length },
  };
}

/** Lines and columns that a position may be outside of the code; a position further outside means the nearest place. */
const MAX_PADDING = 200;

/** The body with line feeds and spaces up to `at` where it ends earlier or its line is shorter, and the offset of `at`. */
function padded(code: ComposedCode, at: SourcePosition): { readonly body: string; readonly offset: number } {
  const { body, from, origin } = code;
  const offset = offsetOf(code, at);
  const end = toRegionPosition(new LineTable(body), { start: from, end: body.length, origin }, offset);
  const lines = Math.max(0, at.line - end.line);
  const columns = at.column - (lines > 0 ? 0 : end.column);
  const isNear = at.line >= end.line && lines <= MAX_PADDING && 0 <= columns && columns <= MAX_PADDING;
  const missing = isNear ? '\n'.repeat(lines) + ' '.repeat(columns) : '';
  return { body: body.slice(0, offset) + missing + body.slice(offset), offset: offset + missing.length };
}
