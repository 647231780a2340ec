import type { CellReport, LanguageTask } from '../language.ts';
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

/** The axioms that a declaration depends on; null where Lean does not report them. */
export interface LeanAxioms {
  readonly name: string;
  readonly axioms: readonly string[] | null;
}

/** The goals at a position; null where there is nothing to prove and no expected type. */
export interface LeanGoals {
  readonly line: number;
  readonly column: number;
  readonly goals: readonly string[] | null;
}

/** What a check does beside its report; such a check does not run `main`. Positions are the caller's. */
export type LeanTask = LanguageTask & {
  readonly language: 'lean';
  /** Code that goes before the code, in a coordinate system of its own. */
  readonly context?: string;
} & LeanQuestion;

type LeanQuestion =
  | { readonly kind: 'check' }
  /** The goals at one position, or at every `sorry` when `at` is null. */
  | { readonly kind: 'goals'; readonly at: SourcePosition | null }
  /** Replaces the `sorry` that starts at `at`, or inserts the tactic there, and reports the goals after it. */
  | { readonly kind: 'tactic'; readonly at: SourcePosition; readonly tactic: string };

/**
 * Lean's report on code, in the caller's coordinates: lines start at 1, columns at 0 and count code points. A report as a
 * whole stays within the output limit.
 */
export interface CheckReport {
  readonly verdict: Verdict;
  /** Sorted by position. When the limit cuts, errors are kept before warnings, and warnings before printed text. */
  readonly messages: readonly LeanMessage[];
  /** The number of all messages, those left out included. */
  readonly messageCount: number;
  readonly sorries: readonly LeanSorry[];
  /** Null when Lean was not asked, or did not check the code to its end. */
  readonly axioms: readonly LeanAxioms[] | null;
  /** Null unless a task asks for them. */
  readonly goals: readonly LeanGoals[] | null;
  /** Something was left out or cut to stay within the output limit. The verdict still considers everything. */
  readonly truncated: boolean;
}

/** A report without content. */
export const EMPTY_REPORT: CheckReport = {
  verdict: 'rejected',
  messages: [],
  messageCount: 0,
  sorries: [],
  axioms: null,
  goals: null,
  truncated: false,
};

/** What Lean says of a cell. */
export interface LeanReport extends CheckReport, CellReport {
  readonly language: 'lean';
  /** Later cells of the session that were checked again and now say something else. */
  readonly rechecked: readonly { readonly cell: string; readonly report: CheckReport }[];
}

/** The report as one of Lean; null when it is not. */
export function leanReport(report: CellReport | null): LeanReport | null {
  return report && isLeanReport(report) ? report : null;
}

function isLeanReport(report: CellReport): report is LeanReport {
  return report.language === 'lean';
}

/** The task as one of Lean; undefined when there is none. */
export function leanTask(task: LanguageTask | undefined): LeanTask | undefined {
  return task && isLeanTask(task) ? task : undefined;
}

function isLeanTask(task: LanguageTask): task is LeanTask {
  return task.language === 'lean';
}
