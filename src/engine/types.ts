import type { Event } from '../base/event.ts';
import type { HostInfo, ImageInfo } from '../host/host.ts';
import type { Problem } from '../host/problem.ts';
import type {
  CellError,
  CellOutput,
  CellPlace,
  CellReport,
  CodeReport,
  Display,
  Draft,
  InputPrompt,
  OnInput,
  OutcomeStatus,
} from '../languages/language.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { LanguageQuestions, LanguageReport } from '../languages/registry.ts';
import type { Owner } from '../sandbox/owner.ts';
import type { Walls } from '../sandbox/sandbox.ts';
import type { Environments } from './environment/catalog.ts';
import type { SessionFiles } from './files/sessionFiles.ts';
import type { SessionView } from './files/sessionView.ts';
import type { ChangedFiles, FileProblemKind, InputFile } from './files/types.ts';
import type { NetworkDecision } from './network/networkLog.ts';
import type { Options } from './options.ts';
import type { InstallReport, InstallRequest } from './packages/types.ts';
import type { SessionCells } from './session/cellLogs.ts';
import type { SessionRecord } from './session/sessionRecord.ts';
import type { Candidate, TryOptions, TryResult } from './trial/types.ts';

export type { SessionRecord, SessionStore } from './session/sessionRecord.ts';
export type {
  CellPlace,
  CellReport,
  CodeReport,
  Display,
  Draft,
  InputPrompt,
  LanguageReport,
  OnInput,
  OutcomeStatus,
  Owner,
  Walls,
};

/** The public types of the engine: requests, results and the snapshot that views read. */

/** One execution to do. Without `sessionId` it is one-shot. */
export interface RunRequest {
  /** Id of one of the engine's languages. */
  readonly language: string;
  readonly code: string;
  readonly owner: Owner;
  /** One-shot only: name of the environment it runs in. Default: the language's own. */
  readonly environment?: string;
  readonly sessionId?: string;
  /** The id of the run, which no other run has. Default: a new one. Never from a tool's argument. */
  readonly runId?: string;
  /** Seconds; defaults to `limits.timeoutSeconds`. 0 means none, allowed in sessions of notebooks only. */
  readonly timeoutSeconds?: number;
  readonly stdin?: string;
  /** Answers the code's questions for a line of text, as `input()` asks; without it they are read from `stdin`. */
  readonly onInput?: OnInput;
  /**
   * In a session: which cell this is; one that ran before is replaced at its place, where the language knows places.
   */
  readonly cell?: string;
  /** One-shot only: variables set before the run; the JSON-able ones come back. */
  readonly state?: Readonly<Record<string, unknown>>;
  /**
   * One-shot only: name of the code as a file, for tracebacks, and where the language has such a variable for it
   * (`__file__`). A name without folders; the file itself is in the workspace only if it is among `inputs`.
   */
  readonly fileName?: string;
  /**
   * One-shot only: limits below those of a sandbox. Higher ones change nothing, and neither do any where the host has no
   * such limits: Podman, and no container engine. The sandbox of the run serves no other one.
   */
  readonly limits?: RunLimits;
  /** One-shot only: files in the workspace when the run starts. */
  readonly inputs?: readonly InputFile[];
  /** A person has agreed to what the code asks to install. Never from a tool's argument. */
  readonly mayInstall?: boolean;
  /** Asks for `RunResult.files`. A run that changes no file takes less than a millisecond longer for it. */
  readonly reportFiles?: boolean;
  /**
   * One-shot only, with `reportFiles`: called after the run and before its sandbox and its files go, to read what they
   * hold; `files` are those of `RunResult.files`. The run's answer waits for it, but not longer than 30 s, after which
   * the workspace answers `cancelled`; what it throws is ignored.
   */
  readonly onFiles?: (files: ChangedFiles, workspace: RunWorkspace) => Promise<void>;
}

export type RunError = CellError;
export type RunOutput = CellOutput;

/** What a run may use. */
export interface RunLimits {
  /** MB (2^20 bytes) beside what its sandbox takes before it. */
  readonly memoryMb?: number;
  /** CPUs, fractions allowed. */
  readonly cpus?: number;
}

/** The end of a run. `stdout` and `stderr` hold at most `limits.outputKb` each. */
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
  /** Variables that `state` lacks because they are too large for it, or nested too deep. */
  readonly stateLeftOut: readonly string[];
  /** The report of a language that checks its code; null for others and where nothing was checked. */
  readonly report: LanguageReport | null;
  /**
   * Files that the run made or changed in the workspace, and in a session what has since the last report or `put`; a
   * file that was moved or has another mode counts. null where that was not asked for, or the sandbox is lost.
   */
  readonly files: ChangedFiles | null;
  /** Whether anything was left out: of the output, of the displays, of `state` or of the report. */
  readonly truncated: boolean;
  /** Whether a part of stdout or stderr was. */
  readonly outputCut: boolean;
  /** Displays that were omitted because there were too many or they were too large. */
  readonly displaysDropped: number;
  /** Bytes that the program wrote, including omitted ones. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /**
   * Of the run's process; where code is checked in a process that lives on, the most that its sandbox was seen to use.
   */
  readonly peakMemoryBytes: number;
  readonly sessionId: string | null;
  /** The session this ran in has ended with it; `error.message` names what was lost. */
  readonly sessionLost: boolean;
}

/** A value or the problem. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: EngineProblem };

/** A problem of the host, or a request that the engine refuses. */
export interface EngineProblem extends Omit<Problem, 'kind'> {
  readonly kind:
    | Problem['kind']
    | FileProblemKind
    | 'unknown_session'
    | 'unknown_language'
    | 'unknown_environment'
    | 'needs_approval'
    | 'needs_consent'
    | 'invalid_request'
    | 'too_large'
    | 'overloaded'
    | 'session_limit'
    | 'install_failed'
    | 'engine_closed';
}

/** The files of a one-shot run, between its end and its answer. */
export type RunWorkspace = Pick<SessionFiles, 'get' | 'list' | 'stat'>;

export type SessionState = 'starting' | 'idle' | 'busy' | 'ended';

/** A session as views and clients see it. Times in milliseconds since the epoch. */
export interface SessionInfo {
  readonly id: string;
  readonly language: string;
  readonly environment: string;
  readonly owner: Owner;
  /** Whether a person shares it with all agents. */
  readonly isShared: boolean;
  readonly state: SessionState;
  /** Why it has ended, as in `it ran out of memory`; null unless it is `ended`. */
  readonly endReason: string | null;
  readonly sandboxId: string | null;
  readonly openedAt: number;
  readonly lastUsedAt: number;
  readonly runs: number;
  readonly memoryBytes: number | null;
}

/** A run that its first engine has left and that this engine continues. */
export interface ContinuedRun {
  /** The id that its first engine gave it. */
  readonly runId: string;
  /** `RunRequest.cell` of its request. */
  readonly cell: string | null;
  /** `textHash` of its code. */
  readonly codeHash: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /**
   * Whether its output comes from the beginning. Otherwise the first engine has passed on its first part, and only the
   * rest comes; the result has that rest too.
   */
  readonly isWhole: boolean;
}

/** What a run that continues calls, as `Engine.run` does. */
export interface ContinuedRunListener {
  readonly onOutput: (output: RunOutput) => void;
  readonly onInput?: OnInput;
}

/** A session that another engine has opened. */
export interface ResumedSession {
  readonly info: SessionInfo;
  /**
   * The result of the run that was in progress, as of `Engine.run`; null when there was none. Another engine may have
   * returned it too, if it ended a moment later: the run's id shows that.
   */
  readonly result: Promise<RunResult> | null;
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
  /** What its pool is for, in its language's terms; empty where the language has one pool. */
  readonly poolKey: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly uses: number;
  readonly memoryBytes: number | null;
}

/** One environment and the sandboxes of all its pools. */
export interface EnvironmentInfo {
  readonly id: string;
  readonly language: string;
  /** Whether the user has defined it. */
  readonly isCustom: boolean;
  readonly image: string;
  readonly sandboxes: readonly SandboxInfo[];
  readonly waiting: number;
  /** Runs done since the engine started. */
  readonly runs: number;
  /** What isolates its sandboxes, as an agent reports it; null while no sandbox runs. */
  readonly walls: Walls | null;
  /** What its own definition lets its sandboxes reach; null where the network policy of the machine holds. */
  readonly network: Pick<NetworkInfo, 'policy' | 'allow'> | null;
}

/** The state of the engine at one moment; immutable. */
export interface Snapshot {
  readonly host:
    | { readonly state: 'unknown' }
    /** `reason`: why it was chosen, where it was not the first choice. */
    | { readonly state: 'ready'; readonly name: string; readonly runtime: string; readonly reason?: string }
    | { readonly state: 'unavailable'; readonly problem: EngineProblem };
  readonly environments: readonly EnvironmentInfo[];
  readonly sessions: readonly SessionInfo[];
  /** Runs in progress. */
  readonly running: number;
  readonly network: NetworkInfo;
}

/** What sandboxes reach. */
export interface NetworkInfo {
  readonly policy: Options['network']['policy'];
  /** Hosts of the policy `allow`. */
  readonly allow: readonly string[];
  /** The latest first, at most 200. */
  readonly decisions: readonly NetworkDecision[];
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
    readonly language: string;
    readonly image: ImageInfo | null;
    readonly imageName: string;
    readonly problem: EngineProblem | null;
  }[];
}

/** Extra input for one build of an image. */
export interface BuildExtras {
  readonly buildArgs?: Readonly<Record<string, string>>;
  /** Path in the build's context → a folder of this machine whose contents go there. */
  readonly folders?: Readonly<Record<string, string>>;
}

/**
 * The engine's public interface. Nothing starts before the first use, unless `pool.prewarm` is set. The questions that
 * only one language knows are members named by its id; without that language among `languages` every answer is
 * `rejected`.
 */
export interface Engine extends LanguageQuestions {
  /** The same object for an engine and all its views (`asOwner`), for what is kept beside an engine. */
  readonly key: object;
  /**
   * The engine as an agent sees it. Sessions of other owners do not exist there, unless a person shares them: calls for
   * them return what they return for an id that was never given, and the snapshot does not have them.
   */
  asOwner(ownerId: string): Engine;
  /** Those that it runs, in the order in which they are offered. */
  readonly languages: readonly LanguageDefinition[];
  /**
   * Runs code; never rejects. Invalid input returns status `rejected`, an abort `interrupted`. `onOutput` gets live
   * output in order and is never called after the promise has resolved; what it throws is logged.
   */
  run(request: RunRequest, onOutput?: (output: RunOutput) => void, signal?: AbortSignal): Promise<RunResult>;
  /**
   * Runs each candidate on a copy of the session, with all its variables, side by side; the session does not change,
   * unless one is kept. Copies share the session's files, memory and CPU, and have neither its threads nor its
   * connections. Waits for the running cell. Never rejects; an abort ends every candidate as `interrupted`.
   */
  tryCode(
    sessionId: string,
    candidates: readonly Candidate[],
    options?: TryOptions,
    signal?: AbortSignal,
  ): Promise<Result<TryResult>>;
  /** In the environment of that name; by default in the language's own. */
  openSession(language: string, owner: Owner, signal?: AbortSignal, environment?: string): Promise<Result<SessionInfo>>;
  /**
   * Continues a session that another engine of the same options has left: by `detach`, or because its process has ended.
   * If that engine still has the session, it loses it. Returns `unknown_session` when the session or its sandbox is gone,
   * and when its language cannot be resumed. `onRun` is called first when a run is in progress, and returns its
   * listener; the other engine may have passed on the first part of the output too.
   */
  resumeSession(
    record: SessionRecord,
    onRun?: (run: ContinuedRun) => ContinuedRunListener,
    signal?: AbortSignal,
  ): Promise<Result<ResumedSession>>;
  /** Ends the session and its sandbox. */
  closeSession(id: string): Promise<Result<SessionInfo>>;
  /** Interrupts the running cell; kills it three seconds later if it still runs. */
  interruptSession(id: string): Promise<Result<SessionInfo>>;
  /** Makes a session visible to all agents, or to its owner and people alone again. Agents cannot do that. */
  shareSession(id: string, isShared: boolean): Promise<Result<SessionInfo>>;
  /** Gives the session a new interpreter in a new sandbox; its id stays, its variables go. */
  restartSession(id: string): Promise<Result<SessionInfo>>;
  /**
   * Installs packages into a session, whose variables stay: a container of its own, with a network, resolves and builds
   * them, and the session sees them at once. `onOutput` gets what the installer says. A failure changes nothing.
   */
  installPackages(
    request: InstallRequest,
    onOutput?: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<Result<InstallReport>>;
  /** The files of a session; calls for one that is not open return the problem. */
  files(sessionId: string): SessionFiles;
  /** From now on keeps the cells that sessions run, for `cells`, within the limits of `session/cellLogs.ts`. */
  keepCells(): void;
  /** The cells that a session has run and that are kept, also of one that has ended and is still listed. */
  cells(sessionId: string): Result<SessionCells>;
  /** What a session sees read-only of a folder elsewhere. */
  view(sessionId: string): SessionView;
  complete(
    sessionId: string,
    code: string,
    cursor: number,
    signal?: AbortSignal,
    cell?: string,
  ): Promise<Result<Completions>>;
  /** Documentation of the symbol at the cursor, as Markdown; null when there is none, and while a cell runs. */
  hover(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<string | null>>;
  /** Where the session defines the symbol at the cursor; empty while a cell runs. */
  definition(sessionId: string, draft: Draft, signal?: AbortSignal): Promise<Result<readonly CellPlace[]>>;
  /** Removes one sandbox, by its `SandboxInfo.id`; a session in it ends, a run in it is `sandbox_lost`. */
  stopSandbox(id: string): Promise<void>;
  /** The environments that the user has defined. */
  readonly environments: Environments;
  /** Builds the image of a language's own environment from its folder, and from what `extras` adds. */
  buildEnvironment(
    language: string,
    onLine: (line: string) => void,
    signal?: AbortSignal,
    extras?: BuildExtras,
  ): Promise<Result<string>>;
  /** Builds the image of the proxy for the network policies `packages` and `allow`; its tag. */
  buildProxy(onLine: (line: string) => void, signal?: AbortSignal): Promise<Result<string>>;
  /** Checks the host and the images. */
  preflight(signal?: AbortSignal): Promise<Preflight>;
  /** What isolates a language's sandboxes, as an agent reports it. Starts a sandbox for that where none runs. */
  checkWalls(language: string, signal?: AbortSignal): Promise<Result<Walls>>;
  snapshot(): Snapshot;
  /** Fires after the snapshot has changed, at most once for each turn of the event loop. */
  readonly onDidChange: Event<void>;
  /** Sets new options; replaces warm sandboxes that no longer fit, keeps sessions. */
  configure(options: Options): void;
  /** Ends runs, sessions and sandboxes; resolves when all its containers are removed. */
  dispose(): Promise<void>;
  /**
   * Ends this engine as `dispose` does, but leaves the sessions that its `sessionStore` has saved: with their running
   * cells they wait for an engine that resumes them, for at most `sessions.keepSeconds`. Their runs end here as
   * `sandbox_lost`.
   */
  detach(): Promise<void>;
}
