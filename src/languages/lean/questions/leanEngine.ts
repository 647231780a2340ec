import type { Owner } from '../../../sandbox/owner.ts';
import type { CellError, OutcomeStatus } from '../../language.ts';
import type { Answer, TaskRequest, TaskResult } from '../../languageTasks.ts';
import type { LeanGoals, LeanReport, LeanTask } from '../report.ts';
import type { SourcePosition } from '../text/position.ts';

/** A proof, or other Lean code. */
export interface ProofToCheck {
  readonly id?: string;
  readonly code: string;
  /** The theorem as asked for, without its proof: what the declaration of its name must prove. */
  readonly statement?: string;
}

/** Proofs, or other Lean code, to check independently. */
export interface CheckRequest {
  readonly owner: Owner;
  readonly proofs: readonly ProofToCheck[];
  /** Precedes each of them: imports and common definitions. */
  readonly header?: string;
  /** The axioms that a proof may rest on; with a statement, those of sound proofs unless given. */
  readonly allowedAxioms?: readonly string[] | 'standard';
  /** Whether the toolchain's checker of compiled files reads each proof that Lean accepts. */
  readonly replay?: boolean;
  /** Seconds for each; defaults to `limits.timeoutSeconds`. */
  readonly timeoutSeconds?: number;
}

/** The result of one check. */
export interface CheckAnswer {
  readonly id: string | null;
  readonly status: OutcomeStatus;
  /** Null when there is none for a reason other than time. */
  readonly verdict: LeanReport['verdict'] | null;
  readonly report: LeanReport | null;
  /** Why there is no report, or null. */
  readonly error: CellError | null;
  readonly durationMs: number;
}

/** A request for goals. With a session the code follows the session's own; empty code means the session's own. */
export interface GoalsRequest {
  readonly owner: Owner;
  readonly code: string;
  readonly sessionId?: string;
  /** Without it: at every `sorry` of the code. */
  readonly at?: SourcePosition;
  readonly timeoutSeconds?: number;
}

export interface GoalsAnswer extends CheckAnswer {
  readonly goals: readonly LeanGoals[];
}

/** Tactics to try at one position: in place of the `sorry` that starts there, or inserted there. */
export interface TacticsRequest extends Omit<GoalsRequest, 'at'> {
  readonly at: SourcePosition;
  readonly tactics: readonly string[];
}

/** The result of one tactic. */
export interface TacticAnswer {
  readonly tactic: string;
  /** The goals after it, empty when none are left; null when it failed or Lean reports no goal there. */
  readonly goals: readonly string[] | null;
  readonly error: string | null;
  /** Lean's messages on the tactic; `messageCount` and `truncated` as in a report. */
  readonly messages: LeanReport['messages'];
  readonly messageCount: number;
  readonly truncated: boolean;
  /** Of the whole code with the tactic. */
  readonly verdict: LeanReport['verdict'] | null;
  readonly durationMs: number;
}

/** Runs one check; never rejects. */
export type RunTask = (request: TaskRequest & { readonly task: LeanTask }) => Promise<TaskResult>;

/** Lean's own questions: `engine.lean`. */
export interface LeanEngine {
  /**
   * Checks many pieces of code in parallel over the whole pool; the answers are in the order of the proofs. All reports
   * together have at most twice the output limit.
   */
  check(request: CheckRequest, signal?: AbortSignal): Promise<Answer<readonly CheckAnswer[]>>;
  /** The goals in code; no session keeps the code. */
  goals(request: GoalsRequest, signal?: AbortSignal): Promise<Answer<GoalsAnswer>>;
  /** Tries tactics in parallel, each on its own copy of the code; bounded as the answers of `check`. */
  tryTactics(request: TacticsRequest, signal?: AbortSignal): Promise<Answer<readonly TacticAnswer[]>>;
}
