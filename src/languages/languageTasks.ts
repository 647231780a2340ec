import type { Owner } from '../sandbox/owner.ts';
import type { CellError, CellReport, LanguageTask, OutcomeStatus } from './language.ts';

/** A one-shot run with a task. */
export interface TaskRequest {
  readonly owner: Owner;
  readonly code: string;
  readonly task: LanguageTask;
  /** Seconds; defaults to `limits.timeoutSeconds`. */
  readonly timeoutSeconds?: number;
}

/** How a run with a task ended. */
export interface TaskResult {
  readonly status: OutcomeStatus;
  readonly report: CellReport | null;
  readonly error: CellError | null;
  readonly durationMs: number;
}

/** Why a question has no answer: cause and next step, one sentence each. */
export interface TaskProblem {
  readonly kind: string;
  readonly message: string;
  readonly advice: string;
  /** A command line that does it, where there is one. */
  readonly command?: string;
}

/** A value or the problem. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: TaskProblem };

/** The part of an engine that answers a language's own questions. */
export interface Tasks {
  /** Never rejects. */
  run(request: TaskRequest, signal?: AbortSignal): Promise<TaskResult>;
  /** The code that a session of the language has accepted; empty without a session. */
  textOf(sessionId: string | undefined, signal?: AbortSignal): Promise<Answer<string>>;
  /** Bytes kept of what one run reports. */
  outputLimit(): number;
}
