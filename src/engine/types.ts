import type { Event } from '../base/event.ts';
import type { HostInfo, ImageInfo } from '../host/host.ts';
import type { Problem } from '../host/problem.ts';
import type { Owner } from '../pool/owner.ts';
import type { Options } from './options.ts';

export type { Owner };

/** The public words of the engine: requests, results and the snapshot that views read. */

/** What a user picks. */
export const LANGUAGES = ['python'] as const;
export type LanguageId = (typeof LANGUAGES)[number];

/** How a run ended. */
export type OutcomeStatus = 'ok' | 'error' | 'timeout' | 'interrupted' | 'out_of_memory' | 'sandbox_lost' | 'rejected';

/** One execution to do. Without `sessionId` it is one-shot. */
export interface RunRequest {
  readonly language: LanguageId;
  readonly code: string;
  readonly owner: Owner;
  readonly sessionId?: string;
  /** Seconds; defaults to `limits.timeoutSeconds`. 0 means none, allowed in sessions of notebooks only. */
  readonly timeoutSeconds?: number;
  readonly stdin?: string;
  /** One-shot only: variables set before the run; the JSON-able ones come back. */
  readonly state?: Readonly<Record<string, unknown>>;
}

/** Something a run showed: mime type → content, binary types as base64. */
export interface Display {
  readonly data: Readonly<Record<string, unknown>>;
  /** Set when the run may update it later. */
  readonly id: string | null;
}

/** What went wrong in a run, in the language's own words or in ours. */
export interface RunError {
  readonly name: string;
  readonly message: string;
  /** Empty when there is none. */
  readonly traceback: string;
}

/** What a run says while it goes on, in order. */
export type RunOutput =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'display' | 'update'; readonly display: Display }
  | { readonly kind: 'result'; readonly data: Display['data'] }
  | { readonly kind: 'clear'; readonly wait: boolean }
  | { readonly kind: 'error'; readonly error: RunError };

/** A run's end. Its `stdout` and `stderr` are what was passed on, at most `limits.outputBytes` each. */
export interface RunResult {
  readonly runId: string;
  readonly status: OutcomeStatus;
  /** Exit status of the program, or null when it had none (a session cell, a kill). */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Value of the last expression: mime type → content, always with `text/plain`; null when there was none. */
  readonly result: Display['data'] | null;
  readonly error: RunError | null;
  readonly displays: readonly Display[];
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly truncated: boolean;
  /** Bytes the program wrote, passed on or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  readonly peakMemoryBytes: number;
  readonly sessionId: string | null;
  /** The session this ran in has ended with it; `error.message` says what was lost. */
  readonly sessionLost: boolean;
}

/** A value, or what kept it from being had. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: EngineProblem };

/** What the engine itself refuses, beside what is wrong with the host. */
export type EngineProblem =
  | Problem
  | {
      readonly kind:
        | 'unknown_session'
        | 'unknown_language'
        | 'invalid_request'
        | 'too_large'
        | 'overloaded'
        | 'session_limit'
        | 'engine_closed';
      readonly message: string;
      readonly advice: string;
      readonly command?: string;
    };

export type SessionState = 'starting' | 'idle' | 'busy' | 'ended';

/** A session as views and clients see it. Times in milliseconds since the epoch. */
export interface SessionInfo {
  readonly id: string;
  readonly language: LanguageId;
  readonly environment: string;
  readonly owner: Owner;
  readonly state: SessionState;
  readonly sandboxId: string | null;
  readonly openedAt: number;
  readonly lastUsedAt: number;
  readonly runs: number;
  readonly memoryBytes: number | null;
}

export type SlotState = 'booting' | 'idle' | 'leased' | 'resetting' | 'retiring';

/** One sandbox of a pool as views see it. */
export interface SandboxInfo {
  /** Container id, or a name of ours while it boots. */
  readonly id: string;
  readonly state: SlotState;
  readonly owner: Owner | null;
  /** Set when a session holds it. */
  readonly sessionId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly uses: number;
  readonly memoryBytes: number | null;
}

/** One environment and its pool. */
export interface EnvironmentInfo {
  readonly id: string;
  readonly language: LanguageId;
  readonly image: string;
  readonly sandboxes: readonly SandboxInfo[];
  readonly waiting: number;
  /** Runs done since the engine started. */
  readonly runs: number;
}

/** The whole state at one moment; never changed after it was handed out. */
export interface Snapshot {
  readonly host:
    | { readonly state: 'unknown' }
    | { readonly state: 'ready'; readonly name: string; readonly runtime: string }
    | { readonly state: 'unavailable'; readonly problem: EngineProblem };
  readonly environments: readonly EnvironmentInfo[];
  readonly sessions: readonly SessionInfo[];
  /** Runs going on now. */
  readonly running: number;
}

/** Completions for a session's code; offsets are UTF-16. */
export interface Completions {
  readonly start: number;
  readonly end: number;
  readonly matches: readonly string[];
}

/** What `Engine.preflight` found. */
export interface Preflight {
  readonly host: { readonly info: HostInfo | null; readonly problem: EngineProblem | null };
  /** OCI runtime of new sandboxes, or null when it is the host's default and that is not known. */
  readonly runtime: string | null;
  readonly environments: readonly {
    readonly id: string;
    readonly language: LanguageId;
    readonly image: ImageInfo | null;
    readonly imageName: string;
    readonly problem: EngineProblem | null;
  }[];
}

/** The engine's public face. Nothing starts before the first use, unless `pool.prewarm` says so. */
export interface Engine {
  /**
   * Runs code and says how it ended; never rejects. Bad input gives `rejected`, an abort `interrupted`. `onOutput` gets
   * live output in order and is never called after the promise has resolved.
   */
  run(request: RunRequest, onOutput?: (output: RunOutput) => void, signal?: AbortSignal): Promise<RunResult>;
  openSession(language: string, owner: Owner, signal?: AbortSignal): Promise<Attempt<SessionInfo>>;
  /** Ends the session and its sandbox. */
  closeSession(id: string): Promise<Attempt<SessionInfo>>;
  /** Interrupts what the session runs; a run that goes on is stopped hard three seconds later. */
  interruptSession(id: string): Promise<Attempt<SessionInfo>>;
  /** Gives the session a new interpreter in a new sandbox; its id stays, its variables go. */
  restartSession(id: string): Promise<Attempt<SessionInfo>>;
  complete(sessionId: string, code: string, cursor: number, signal?: AbortSignal): Promise<Attempt<Completions>>;
  /** Removes one sandbox, by its `SandboxInfo.id`; a session in it ends, a run in it is `sandbox_lost`. */
  stopSandbox(id: string): Promise<void>;
  /** Builds an environment's image from the folder that the composition gave. */
  buildEnvironment(language: string, onLine: (line: string) => void, signal?: AbortSignal): Promise<Attempt<string>>;
  /** Looks at the host and the images anew. */
  preflight(signal?: AbortSignal): Promise<Preflight>;
  snapshot(): Snapshot;
  /** Fires after the snapshot has changed, at most once for each turn of the event loop. */
  readonly onDidChange: Event<void>;
  /** Takes new options; what is warm and no longer fits is replaced, sessions are kept. */
  configure(options: Options): void;
  /** Ends runs, sessions and sandboxes; resolves when no container of ours is left. */
  dispose(): Promise<void>;
}
