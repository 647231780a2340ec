import { type Header, joinHeaders, parseHeader } from './text/header.ts';
import { importRanges } from './text/importRanges.ts';
import { LineTable, type SourcePosition, toDocumentOffset, toRegionPosition } from './text/position.ts';
import { tokensOf } from './text/tokens.ts';
import type { Body } from './worker/check.ts';

/** Code taken apart for a document: its header, and what goes behind it. */
export interface Composed extends Body {
  readonly header: Header;
}

/** The code behind its context, under the header that both need. */
export function compose(code: string, context = ''): Composed {
  const own = parseHeader(code);
  const before = parseHeader(context);
  const given = context.slice(before.end);
  const lead = given === '' || given.endsWith('\n') ? given : `${given}\n`;
  return {
    header: context === '' ? own : joinHeaders(before, own),
    text: lead + code.slice(own.end),
    from: lead.length,
    origin: new LineTable(code).sourcePositionAt(own.end),
    imports: importRanges(code, own),
  };
}

/** Offset of a place of the caller's in a body's text. */
export function offsetOf({ text, from, origin }: Body, at: SourcePosition): number {
  return toDocumentOffset(new LineTable(text), { start: from, end: text.length, origin }, at);
}

/** The offset of a place, where the line is too short after spaces that lead there. */
function reach(body: Composed, at: SourcePosition): { readonly body: Composed; readonly offset: number } {
  const { text, from, origin } = body;
  const offset = offsetOf(body, at);
  const spot = toRegionPosition(new LineTable(text), { start: from, end: text.length, origin }, offset);
  const missing = ' '.repeat(spot.line === at.line ? Math.max(0, at.column - spot.column) : 0);
  const reached = offset + missing.length;
  return { body: { ...body, text: text.slice(0, offset) + missing + text.slice(offset) }, offset: reached };
}

/** A body with a tactic put in, and the offset behind it. */
export interface WithTactic {
  readonly body: Composed;
  readonly start: number;
  readonly end: number;
}

/** The tactic in the place of the `sorry` that begins at `at`, or put in there; its later lines are indented alike. */
export function withTactic(given: Composed, at: SourcePosition, tactic: string): WithTactic {
  const { body, offset } = reach(given, at);
  const { text } = body;
  const replaced = tokensOf(text).find(({ start, end }) => start === offset && text.slice(start, end) === 'sorry');
  const indent = ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));
  const lines = tactic.trimEnd().split('\n').join(`\n${indent}`);
  const rest = text.slice(replaced?.end ?? offset);
  const gap = replaced || rest === '' || rest.startsWith('\n') ? '' : `\n${indent}`;
  return {
    body: { ...body, text: `${text.slice(0, offset)}${lines}${gap}${rest}` },
    start: offset,
    end: offset + lines.length,
  };
}
