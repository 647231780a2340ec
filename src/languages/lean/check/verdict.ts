import type { Diagnostic } from '../lsp/messages.ts';
import type { Verdict } from '../report.ts';
import type { DeclarationAxioms } from './axioms.ts';
import { severityOf } from './diagnostics.ts';

/** What a verdict is based on. All diagnostics of the version are in: a check without them has no verdict. */
export interface VerdictFacts {
  /** Lean stopped before the end. */
  readonly fatal: boolean;
  /** Diagnostics of severity error. */
  readonly errors: number;
  /** Lean's own warnings that a declaration uses `sorry`. */
  readonly sorryWarnings: number;
  /** The code may contain a gap that Lean does not report; see `mayHideGap`. */
  readonly hidden: boolean;
  /** Empty when Lean was not asked. */
  readonly axioms: readonly DeclarationAxioms[];
}

/** The verdict that follows from the facts; `accepted` only when nothing is missing. */
export function verdictOf({ fatal, errors, sorryWarnings, hidden, axioms }: VerdictFacts): Verdict {
  if (fatal || errors > 0) return 'rejected';
  return sorryWarnings > 0 || hidden || axioms.some(isOpen) ? 'incomplete' : 'accepted';
}

/** No answer at all means that Lean did not reach the question, for example after `#exit`. */
function isOpen({ answered, axioms }: DeclarationAxioms): boolean {
  return !answered || (axioms ?? []).includes(SORRY_AXIOM);
}

const SORRY_AXIOM = 'sorryAx';

/**
 * Lean's warnings, in full. The axioms are the stronger fact, because an option hides the warning; but Lean lists them for
 * names only, and an `example` has none. A message that only looks like a warning makes a verdict worse, never better.
 */
const SORRY_WARNINGS: ReadonlySet<string> = new Set(["declaration uses 'sorry'", 'declaration uses `sorry`']);

/** The facts from diagnostics, silent ones included. */
export function factsOf(diagnostics: readonly Diagnostic[]): Pick<VerdictFacts, 'errors' | 'sorryWarnings'> {
  const count = (matches: (diagnostic: Diagnostic) => boolean) => diagnostics.filter(matches).length;
  return { errors: count((diagnostic) => severityOf(diagnostic) === 'error'), sorryWarnings: count(isSorryWarning) };
}

function isSorryWarning(diagnostic: Diagnostic): boolean {
  return severityOf(diagnostic) === 'warning' && SORRY_WARNINGS.has(diagnostic.message.trim());
}
