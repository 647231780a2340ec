import { nameParts } from '../text/identifier.ts';
import { tokensOf } from '../text/tokens.ts';
import type { DeclarationAxioms } from './axioms.ts';

/** The option that turns the warning about a `sorry` off. */
const OPTION = 'warn.sorry';

/**
 * Whether `code` may contain a `sorry` that Lean does not report: the text names the option that hides the warning, and the
 * code declares something without a name, or Lean does not list a declaration's axioms, as in a `module`, or commands of the
 * text's own may open a namespace that neither tokens nor symbols show, so that Lean was asked for another name. `before` is
 * the text in front of the code. True in doubt, because the option may be set back.
 */
export function mayHideSorry(before: string, code: string, axioms: readonly DeclarationAxioms[]): boolean {
  const text = before + code;
  if (!namesOption(text)) return false;
  return hasNameless(code) || axioms.some((known) => known.axioms === null) || mayMisname(text);
}

function namesOption(text: string): boolean {
  // A quick test first: most texts do not contain the word.
  return /sorry/.test(text) && words(text).some(({ word }) => nameParts(word)?.join('.') === OPTION);
}

/** Words that define commands. */
const DEFINING: ReadonlySet<string> = new Set([
  'macro',
  'macro_rules',
  'syntax',
  'elab',
  'elab_rules',
  'command_elab',
  'run_cmd',
  'run_elab',
]);
const SORRY: ReadonlySet<string> = new Set(['sorry', 'admit', 'sorryAx']);

/** Whether the text defines commands and leaves proofs out. */
function mayMisname(text: string): boolean {
  const all = words(text);
  return all.some(({ word }) => DEFINING.has(word)) && all.some(({ word }) => SORRY.has(word));
}

function hasNameless(code: string): boolean {
  return words(code).some(
    ({ word }, index, all) => word === 'example' || (word === 'instance' && all[index + 1]?.kind !== 'name'),
  );
}

function words(text: string) {
  return tokensOf(text).map(({ kind, start, end }) => ({ kind, word: text.slice(start, end) }));
}
