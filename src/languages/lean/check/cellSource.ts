import type { SourcePosition } from '../text/position.ts';
import { tokensOf } from '../text/tokens.ts';
import { isDeclarationKeyword } from './declarations.ts';
import { isScopeWord, type OutlineEvent, outlineOf } from './outline.ts';

/** Code to check, as it stands in Lean's document. */
export interface CellSource {
  /** The code without its header; what comes before `from` is context. */
  readonly body: string;
  /** UTF-16 offset in the body at which the caller's own code starts; it extends to the end of the body. */
  readonly from: number;
  /** The UTF-16 offset from which declarations count as the code's: the context's last one too if the code continues it. */
  readonly declaresFrom: number;
  /** Where the caller's own code starts in the caller's text. */
  readonly origin: SourcePosition;
  readonly outline: readonly OutlineEvent[];
}

/** The source with this body, of which the caller's own code starts at offset `from`. */
export function cellSource(body: string, from: number, origin: SourcePosition): CellSource {
  const outline = outlineOf(body);
  const last = outline.findLast(({ kind, at }) => kind === 'declare' && at < from);
  const declaresFrom = last && !startsCommand(body, from) ? last.at : from;
  return { body, from, declaresFrom, origin, outline };
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

const MODIFIERS = ['private', 'protected', 'public', 'noncomputable', 'unsafe', 'partial', 'local', 'scoped', 'meta'];
const COMMANDS = ['example', 'export', 'variable', 'universe', 'attribute'];
const COMMAND_WORDS: ReadonlySet<string> = new Set([...MODIFIERS, ...COMMANDS]);

/** Whether only a command can start at the offset; `open`, for example, can also continue the command before. */
function startsCommand(body: string, from: number): boolean {
  const first = tokensOf(body).find(({ start }) => start >= from);
  if (!first) return true;
  if (/^(?:@\[|#\w)/.test(body.slice(first.start, first.start + 2))) return true;
  const word = body.slice(first.start, first.end);
  return COMMAND_WORDS.has(word) || isDeclarationKeyword(word) || isScopeWord(word);
}

/** Whether `SEPARATOR` can follow: `open A in` and similar commands would apply to it. */
export function canBeSeparated(body: string): boolean {
  const last = tokensOf(body).at(-1);
  return last === undefined || body.slice(last.start, last.end) !== 'in';
}
