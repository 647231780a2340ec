import { skipBlank } from './blank.ts';
import { tokensOf } from './tokens.ts';

/** `#exit` in code: Lean reads nothing after it. */
export interface Exit {
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Only blanks and comments follow. */
  readonly isLast: boolean;
}

/** The first `#exit` at or after an offset that is a command of its own, not part of a quotation in brackets; or null. */
export function exitIn(code: string, from = 0): Exit | null {
  if (!code.includes('#exit', from)) return null;
  let depth = 0;
  const found = tokensOf(code).find(({ start, end }, index, tokens) => {
    const before = tokens[index - 1];
    if (code[start] === '(') depth += 1;
    else if (code[start] === ')') depth = Math.max(0, depth - 1);
    return (
      depth === 0 &&
      start > from &&
      code.slice(start, end) === 'exit' &&
      before?.end === start &&
      code[start - 1] === '#'
    );
  });
  if (!found) return null;
  const isLast = skipBlank(code, found.end, 'current') === code.length;
  return { start: found.start - 1, end: found.end, isLast };
}
