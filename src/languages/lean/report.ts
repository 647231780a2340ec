import type { CellReport, CodeMessage, CodeReport, LanguageTask } from '../language.ts';
import type { Judgement, JudgeTerms } from './judge/terms.ts';
import type { CompiledFile, Replay } from './replay/terms.ts';
import type { SourcePosition } from './text/position.ts';

/** The result of a check: no objection, a proof left out, an error, or no answer in time. */
export type Verdict = 'accepted' | 'incomplete' | 'rejected' | 'timeout';

/** A message of Lean, in the caller's coordinates. */
export type LeanMessage = CodeMessage;

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
  | { readonly kind: 'check'; readonly judge?: JudgeTerms }
  /** The goals at one position, or at every `sorry` when `at` is null. */
  | { readonly kind: 'goals'; readonly at: SourcePosition | null }
  /** Replaces the `sorry` that starts at `at`, or inserts the tactic there, and reports the goals after it. */
  | { readonly kind: 'tactic'; readonly at: SourcePosition; readonly tactic: string }
  /** Compiles the code; its report has the files and nothing else. */
  | { readonly kind: 'compile' }
  /** Replays compiled files, without any code; its report has the checker's answer and nothing else. */
  | { readonly kind: 'replay'; readonly files: readonly CompiledFile[] };

/**
 * Lean's report on code, in the caller's coordinates: lines start at 1, columns at 0 and count code points. A report as a
 * whole stays within the output limit.
 */
export interface CheckReport extends CodeReport {
  /** Considers everything, also what was left out. */
  readonly verdict: Verdict;
  readonly sorries: readonly LeanSorry[];
  /** Null when Lean was not asked, or did not check the code to its end. */
  readonly axioms: readonly LeanAxioms[] | null;
  /** Null unless a task asks for them. */
  readonly goals: readonly LeanGoals[] | null;
  /** What the judge finds, where a task asks it and Lean has found no error. */
  readonly judgement?: Judgement;
  /** The answer of a checker of compiled files, where one was asked. */
  readonly replay?: Replay;
  /** What a task to compile has made. */
  readonly compiled?: readonly CompiledFile[];
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

/** Lean's report on a cell. */
export interface LeanReport extends CheckReport, CellReport {
  readonly language: 'lean';
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
