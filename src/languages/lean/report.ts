import type { SourcePosition } from './text/position.ts';

/** The result of a check: no objection, a proof left out, an error, or no answer in time. */
export type Verdict = 'accepted' | 'incomplete' | 'rejected' | 'timeout';

/** A message of Lean in the caller's coordinates: lines start at 1, columns at 0 and count code points. */
export interface LeanMessage {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

/** A `sorry`, with its goal where Lean reports one. */
export interface LeanSorry {
  readonly line: number;
  readonly column: number;
  readonly goal: string | null;
}

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
  | { readonly kind: 'goals'; readonly at: SourcePosition | null }
  /** The tactic in the place of the `sorry` that begins there, or put in there, and the goals behind it. */
  | { readonly kind: 'tactic'; readonly at: SourcePosition; readonly tactic: string };

/**
 * What Lean says of a piece of code, in the caller's coordinates: lines from 1, columns from 0 in code points. All of it
 * together stays within the output limit.
 */
export interface CheckReport {
  readonly verdict: Verdict;
  /** By place. Where there is no room for all, errors are kept before warnings, and these before what was printed. */
  readonly messages: readonly LeanMessage[];
  /** How many messages there were, also those left out. */
  readonly messageCount: number;
  readonly sorries: readonly LeanSorry[];
  /** Null when they were not asked for, or the code was not checked to its end. */
  readonly axioms: readonly LeanAxioms[] | null;
  /** Null unless a task asked for them. */
  readonly goals: readonly LeanGoals[] | null;
  /** Something was left out or cut to stay within the output limit. The verdict rests on all of it. */
  readonly truncated: boolean;
}

/** A report in which nothing is said. */
export const EMPTY_REPORT: CheckReport = {
  verdict: 'rejected',
  messages: [],
  messageCount: 0,
  sorries: [],
  axioms: null,
  goals: null,
  truncated: false,
};
