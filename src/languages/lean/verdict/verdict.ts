import type { Diagnostic } from '../lsp/messages.ts';
import type { DeclarationAxioms } from './axioms.ts';
import { severityOf } from './report.ts';

/** What a check found: no objection, a proof left out, an error, or no answer in time. */
export type Verdict = 'accepted' | 'incomplete' | 'rejected' | 'timeout';

/** What a verdict rests on. */
export interface VerdictFacts {
  /** All diagnostics of the version that was checked are in. */
  readonly complete: boolean;
  /** Lean stopped before the end. */
  readonly fatal: boolean;
  /** Diagnostics of severity error. */
  readonly errors: number;
  /** Lean's own warnings that a declaration uses `sorry`. */
  readonly sorryWarnings: number;
  /** A `sorry` may be in the code without Lean's telling; see `mayHideSorry`. */
  readonly hidden: boolean;
  /** Empty where nothing was asked. */
  readonly axioms: readonly DeclarationAxioms[];
}

/** The verdict that follows from the facts; `accepted` only where nothing is missing. */
export function verdictOf({ complete, fatal, errors, sorryWarnings, hidden, axioms }: VerdictFacts): Verdict {
  if (!complete) return 'timeout';
  if (fatal || errors > 0) return 'rejected';
  return sorryWarnings > 0 || hidden || axioms.some(isOpen) ? 'incomplete' : 'accepted';
}

/** No answer at all means that Lean did not get there, as behind `#exit`. */
function isOpen({ answered, axioms }: DeclarationAxioms): boolean {
  return !answered || (axioms ?? []).includes(SORRY_AXIOM);
}

const SORRY_AXIOM = 'sorryAx';

/**
 * Lean's warnings, whole. The axioms are the stronger fact, since an option hides the warning; but they can only be asked
 * of what has a name, and an `example` has none. A text that merely looks like one makes a verdict worse, never better.
 */
const SORRY_WARNINGS: ReadonlySet<string> = new Set(["declaration uses 'sorry'", 'declaration uses `sorry`']);

/** The facts that diagnostics tell, silent ones too. */
export function factsOf(diagnostics: readonly Diagnostic[]): Pick<VerdictFacts, 'errors' | 'sorryWarnings'> {
  const count = (matches: (diagnostic: Diagnostic) => boolean) => diagnostics.filter(matches).length;
  return { errors: count((diagnostic) => severityOf(diagnostic) === 'error'), sorryWarnings: count(isSorryWarning) };
}

function isSorryWarning(diagnostic: Diagnostic): boolean {
  return severityOf(diagnostic) === 'warning' && SORRY_WARNINGS.has(diagnostic.message.trim());
}
