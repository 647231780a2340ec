import type { SourcePosition } from '../text/position.ts';
import { tokensOf } from '../text/tokens.ts';
import { type OutlineEvent, outlineOf } from './outline.ts';

/** Code to check, as it stands in Lean's document. */
export interface CellSource {
  /** The code without its header; what comes before `from` is context. */
  readonly body: string;
  /** UTF-16 offset in the body at which the caller's own code starts; it extends to the end of the body. */
  readonly from: number;
  /** Where the caller's own code starts in the caller's text. */
  readonly origin: SourcePosition;
  readonly outline: readonly OutlineEvent[];
}

/** The source with this body, of which the caller's own code starts at offset `from`. */
export function cellSource(body: string, from: number, origin: SourcePosition): CellSource {
  return { body, from, origin, outline: outlineOf(body) };
}

/**
 * A command without an effect, placed after each cell: the next text can neither continue the cell's last command nor make
 * Lean evaluate it again. It is a single command, because old servers repeat all diagnostics for each command.
 */
export const SEPARATOR = 'set_option trace.PrettyPrinter.format false\n';

/** A cell's segment of the document; it ends with a line feed. */
export function segmentOf({ body, hasSeparator }: { readonly body: string; readonly hasSeparator: boolean }): string {
  return `${withLastLineFeed(body)}${hasSeparator ? SEPARATOR : ''}`;
}

/** The body with a line feed at its end. */
export function withLastLineFeed(body: string): string {
  return body.endsWith('\n') ? body : `${body}\n`;
}

/** Whether `SEPARATOR` can follow: `open A in` and similar commands would apply to it. */
export function canBeSeparated(body: string): boolean {
  const last = tokensOf(body).at(-1);
  return last === undefined || body.slice(last.start, last.end) !== 'in';
}
