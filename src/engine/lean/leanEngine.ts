import type { LeanGoals, LeanReport } from '../../languages/lean/report.ts';
import type { SourcePosition } from '../../languages/lean/text/position.ts';
import type { Owner } from '../../pool/lease.ts';
import type { OutcomeStatus, Result, RunError } from '../types.ts';

/** Proofs, or other code of Lean, to check each on its own. */
export interface CheckRequest {
  readonly owner: Owner;
  readonly proofs: readonly { readonly id?: string; readonly code: string }[];
  /** Goes before each of them: imports, and what else they share. */
  readonly header?: string;
  /** Seconds for each; defaults to `limits.timeoutSeconds`. */
  readonly timeoutSeconds?: number;
}

/** What became of one check. */
export interface CheckAnswer {
  readonly id: string | null;
  readonly status: OutcomeStatus;
  /** Null when Lean came to none, for another reason than time. */
  readonly verdict: LeanReport['verdict'] | null;
  readonly report: LeanReport | null;
  /** Why there is no report, or null. */
  readonly error: RunError | null;
  readonly durationMs: number;
}

/** Where goals are asked for. With a session the code stands behind the session's own; empty code means that. */
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

/** Tactics to try at one place: instead of the `sorry` that begins there, or put in there. */
export interface TacticsRequest extends Omit<GoalsRequest, 'at'> {
  readonly at: SourcePosition;
  readonly tactics: readonly string[];
}

/** What a tactic led to. */
export interface TacticAnswer {
  readonly tactic: string;
  /** What is left to prove behind it, none when it is empty; null when it failed or Lean knows of nothing there. */
  readonly goals: readonly string[] | null;
  readonly error: string | null;
  /** What Lean said of the tactic; `messageCount` and `truncated` as in a report. */
  readonly messages: LeanReport['messages'];
  readonly messageCount: number;
  readonly truncated: boolean;
  /** Of the whole code with the tactic in it. */
  readonly verdict: LeanReport['verdict'] | null;
  readonly durationMs: number;
}

/** What the engine answers for Lean alone. */
export interface LeanEngine {
  /**
   * Checks many pieces of Lean at once over the whole pool; the answers are in the order of the proofs. All reports
   * together hold at most twice the output limit.
   */
  check(request: CheckRequest, signal?: AbortSignal): Promise<Result<readonly CheckAnswer[]>>;
  /** The goals in a piece of Lean, which no session keeps. */
  goals(request: GoalsRequest, signal?: AbortSignal): Promise<Result<GoalsAnswer>>;
  /** Tries tactics side by side, each on a copy of its own; bounded as the answers of `check`. */
  tryTactics(request: TacticsRequest, signal?: AbortSignal): Promise<Result<readonly TacticAnswer[]>>;
}
