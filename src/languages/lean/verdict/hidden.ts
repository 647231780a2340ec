import { nameParts } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';

/** The option that turns the warning of a `sorry` off. */
const OPTION = 'warn.sorry';

/**
 * Whether `sorry` may be in `code` without Lean's telling: the text names the option that hides the warning, and the code
 * declares something without a name, which Lean cannot be asked about. `before` is what stands in front of it. Rather too
 * often than too seldom, since the option may be set back, or have been meant for something else.
 */
export function mayHideSorry(before: string, code: string): boolean {
  return namesOption(before + code) && hasNameless(code);
}

function namesOption(text: string): boolean {
  // Most texts have no such word, and need not be read as code.
  return /sorry/.test(text) && words(text).some((word) => nameParts(word)?.join('.') === OPTION);
}

function hasNameless(code: string): boolean {
  const tokens = tokensOf(code).map(({ kind, start, end }) => ({ kind, word: code.slice(start, end) }));
  return tokens.some(
    ({ word }, index) => word === 'example' || (word === 'instance' && tokens[index + 1]?.kind !== 'name'),
  );
}

function words(text: string): string[] {
  return tokensOf(text).map(({ start, end }) => text.slice(start, end));
}
