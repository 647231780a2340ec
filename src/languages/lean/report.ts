import type { Spot } from './text/position.ts';
import type { LeanMessage, LeanSorry } from './verdict/report.ts';
import type { Verdict } from './verdict/verdict.ts';

export type { LeanMessage, LeanSorry, Verdict };

/** What something that code declares rests on; null where Lean does not tell. */
export interface LeanAxioms {
  readonly name: string;
  readonly axioms: readonly string[] | null;
}

/** The goals at a place; null where there is nothing to prove and no type is expected. */
export interface LeanGoals {
  readonly line: number;
  readonly column: number;
  readonly goals: readonly string[] | null;
}

/** What is wanted of a check beside its report; it runs no `main`. Places are in the caller's coordinates. */
export type LeanTask =
  | { readonly kind: 'check' }
  /** The goals at one place, or where it is null at every `sorry`. */
  | { readonly kind: 'goals'; readonly at: Spot | null }
  /** The tactic in the place of the `sorry` that begins there, or put in there, and the goals behind it. */
  | { readonly kind: 'tactic'; readonly at: Spot; readonly tactic: string };

/** What Lean says of a piece of code, in the caller's coordinates: lines from 1, columns from 0 in code points. */
export interface CheckReport {
  readonly verdict: Verdict;
  readonly messages: readonly LeanMessage[];
  readonly sorries: readonly LeanSorry[];
  /** Null when they were not asked for, or the code was not checked to its end. */
  readonly axioms: readonly LeanAxioms[] | null;
  /** Null unless a task asked for them. */
  readonly goals: readonly LeanGoals[] | null;
}
