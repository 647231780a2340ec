import { nameParts } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';
import type { DeclarationAxioms } from './axioms.ts';

/** The option that turns the warning of a `sorry` off. */
const OPTION = 'warn.sorry';

/**
 * Whether `sorry` may be in `code` without Lean's telling: the text names the option that hides the warning, and the code
 * declares something that has no name to ask for, or of which Lean does not tell the axioms, as in a `module`. `before` is
 * what stands in front of it. Rather too often than too seldom, since the option may have been set back.
 */
export function mayHideSorry(before: string, code: string, axioms: readonly DeclarationAxioms[]): boolean {
  return namesOption(before + code) && (hasNameless(code) || axioms.some((known) => known.axioms === null));
}

function namesOption(text: string): boolean {
  // Most texts have no such word, and need not be read as code.
  return /sorry/.test(text) && words(text).some(({ word }) => nameParts(word)?.join('.') === OPTION);
}

function hasNameless(code: string): boolean {
  return words(code).some(
    ({ word }, index, all) => word === 'example' || (word === 'instance' && all[index + 1]?.kind !== 'name'),
  );
}

function words(text: string) {
  return tokensOf(text).map(({ kind, start, end }) => ({ kind, word: text.slice(start, end) }));
}
