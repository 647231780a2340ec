import { LineTable } from '../text/position.ts';
import { type Token, tokensOf } from '../text/tokens.ts';
import { axiomCommands } from '../verdict/axioms.ts';
import { declarationsOf } from '../verdict/declarations.ts';

/** Lines behind a caller's code that ask Lean what its declarations rest on. */
export interface Questions {
  readonly names: readonly string[];
  /** Begins with a line feed, so that the questions are on lines of their own. */
  readonly text: string;
}

/** A name that every library has. It is asked of first: Lean answers unless the code is unfinished or has stopped it. */
export const CONTROL = 'propext';
/** Behind these a name's namespace is for Lean to tell. */
const CONTAINERS: ReadonlySet<string> = new Set(['namespace', 'section', 'mutual']);

/** The questions for these names. */
export function questionsFor(names: readonly string[]): Questions {
  return { names, text: `\n${axiomCommands([CONTROL, ...names])}` };
}

/** The questions that the text alone tells, of what `code` declares from an offset on; null when Lean must tell the names. */
export function questionsOf(code: string, from = 0): Questions | null {
  const tokens = tokensOf(code);
  const wordOf = ({ start, end }: Token) => code.slice(start, end);
  // `open A in` and its like would take the first question for their own command.
  if (tokens.slice(-1).some((last) => wordOf(last) === 'in')) return null;
  if (tokens.some((token) => token.kind === 'name' && CONTAINERS.has(wordOf(token)))) return null;
  const table = new LineTable(code);
  const own = declarationsOf([], table).filter(({ nameRange }) => table.offsetAt(nameRange.start) >= from);
  return questionsFor([...new Set(own.map(({ name }) => name))]);
}
