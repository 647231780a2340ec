import type { ResumedSandbox, Sandbox } from '../sandbox/sandbox.ts';

/** One piece of code to run in an interpreter. */
export interface CellRequest {
  readonly code: string;
  /** File name in tracebacks, for example `<cell 3>`. */
  readonly name: string;
  /** Path in the sandbox that the code has for itself, if it comes from a file. */
  readonly file?: string;
  /** Which cell of its session it is: one that ran before is replaced at its place, where the language knows places. */
  readonly cell?: string;
  /** A further task of a one-shot run. */
  readonly task?: LanguageTask;
  /** The whole of stdin. */
  readonly stdin: string;
  /** Answers the code's questions, where the language can ask them; without it they are read from `stdin`. */
  readonly onInput?: OnInput;
  /** Limit of the report, in UTF-16 units; default: 1 MiB. */
  readonly outputLimit?: number;
  /** Asks for `CellEnd.filesChanged`: a mark as in `SandboxFiles.changes`. */
  readonly changesSince?: string;
  /** JSON of the caller that its sandbox keeps for another engine, until `Interpreter.settled`. */
  readonly note?: unknown;
  /** Variables set before; when not null, the JSON-able variables come back. */
  readonly state: Readonly<Record<string, unknown>> | null;
}

/** A question of running code for a line of text, as `input()` and `getpass()` ask in Python. */
export interface InputPrompt {
  /** From user code, at most a thousand characters. */
  readonly text: string;
  /** The answer is not to be shown while it is typed. */
  readonly isSecret: boolean;
}

/** Answers a question, with null for the end of input. `signal` aborts when the code no longer waits. */
export type OnInput = (prompt: InputPrompt, signal: AbortSignal) => Promise<string | null>;

/** A question that only one language knows: its interpreter answers in the report. */
export interface LanguageTask {
  readonly language: string;
}

/** How a run ended. */
export type OutcomeStatus = 'ok' | 'error' | 'timeout' | 'interrupted' | 'out_of_memory' | 'sandbox_lost' | 'rejected';

export type MimeData = Readonly<Record<string, unknown>>;

/** The error of a cell, from the language or from the engine. */
export interface CellError {
  readonly name: string;
  readonly message: string;
  /** Empty when there is none. */
  readonly traceback: string;
}

/** A display of a cell: mime type → content, binary types as base64. */
export interface Display {
  readonly data: MimeData;
  /** Set when the cell may update it later. */
  readonly id: string | null;
}

/** Output of a cell while it runs, in order. */
export type CellOutput =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'display' | 'update'; readonly display: Display }
  | { readonly kind: 'result'; readonly data: MimeData }
  | { readonly kind: 'clear'; readonly wait: boolean }
  | { readonly kind: 'error'; readonly error: CellError };

/** A message on code. Lines start at 1; columns start at 0 and count code points. */
export interface CodeMessage {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

/** What a language reports on code that it checked; each such language extends it. */
export interface CodeReport {
  /** Sorted by position. When the limit cuts, errors are kept before warnings, and warnings before printed text. */
  readonly messages: readonly CodeMessage[];
  /** The number of all messages, those left out included. */
  readonly messageCount: number;
  /** Whether anything was omitted or cut to stay within the output limit. */
  readonly truncated: boolean;
}

/** What a language reports on a cell. */
export interface CellReport extends CodeReport {
  readonly language: string;
  /** Further remarks, one sentence each: for example that the session restarted with another header. */
  readonly notes: readonly string[];
  /** Later cells of the session that were checked again with a different result. */
  readonly rechecked: readonly { readonly cell: string; readonly report: CodeReport }[];
}

/**
 * How a cell ended. `unstopped`: its sandbox is lost to us, and its processes may still run.
 * Decided by facts: the exit, the kernel's counter of kills, and the driver's report on its own run. */
export interface CellEnd {
  readonly status: 'ok' | 'error' | 'interrupted' | 'out_of_memory' | 'sandbox_lost' | 'killed' | 'unstopped';
  readonly exitCode: number | null;
  readonly state: Readonly<Record<string, unknown>> | null;
  /** Variables that `state` lacks because they are too large for it, or nested too deep. */
  readonly stateLeftOut?: readonly string[];
  readonly error: CellError | null;
  /** Null where the language checks nothing, or nothing was checked. */
  readonly report: CellReport | null;
  /** Bytes written, including omitted ones. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly eventsDropped: number;
  readonly peakMemoryBytes: number;
  /** False where the process of the cell saw no change in the workspace since the mark; missing where it did not look. */
  readonly filesChanged?: boolean;
  /** The interpreter can run another cell. */
  readonly alive: boolean;
  /** The interpreter had ended before it took the cell; another one may run it. */
  readonly unstarted?: boolean;
}

export interface CompletionList {
  /** UTF-16 offsets of the text that a match replaces. */
  readonly start: number;
  readonly end: number;
  readonly matches: readonly string[];
}

/** A place in the code of a session: offsets are UTF-16, in the cell's own code. */
export interface CellPlace {
  readonly cell: string;
  readonly start: number;
  readonly end: number;
}

/** Code that is being written: what its cell is called, what it has now, and where the question is. */
export interface Draft {
  readonly cell: string | null;
  readonly code: string;
  /** UTF-16 offset. */
  readonly cursor: number;
}

/** Copies of an interpreter. Cells may be given to them at once; one that cannot be made ends its first cell with an error. */
export interface InterpreterCopies {
  readonly interpreters: readonly Interpreter[];
  /** Resolves when they are made, with what they do not have; with null when the interpreter has ended. */
  readonly losses: Promise<CopyLosses | null>;
}

/** How many threads and sockets a process has that its copies have not. */
export interface CopyLosses {
  readonly threads: number;
  readonly sockets: number;
}

/** A running interpreter in a sandbox. One cell at a time. */
export interface Interpreter {
  /** Never rejects; `onOutput` is not called after the promise has resolved. */
  run(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd>;
  /** Only between cells; empty when the interpreter has ended. */
  complete(code: string, cursor: number, cell?: string): Promise<CompletionList>;
  /** Documentation of the symbol at the cursor, as Markdown, or null. Only between cells. */
  hover?(draft: Draft): Promise<string | null>;
  /** Where the session defines the symbol at the cursor. Only between cells. */
  definition?(draft: Draft): Promise<readonly CellPlace[]>;
  /** Copies of its process with all its variables, which run side by side. Only between cells. */
  copy?(count: number): InterpreterCopies;
  /** The code that the session has accepted, for checks beside it; only between cells. */
  text?(): string;
  /** Asks the running cell to stop; it may ignore that. */
  interrupt(): void;
  /** Ends the process at once; a running cell ends as `killed`. */
  kill(): void;
  /** The last cell's answer was passed on; `note` takes the place of its note. */
  settled?(note: unknown): void;
  /** Resolves when the interpreter takes no further cells; missing where that is unknown. */
  readonly ended?: Promise<CellEnd>;
}

/** A sandbox to warm up. */
export interface Warming {
  /** What the sandbox's pool is for; Python has one pool, and its key is empty. */
  readonly key: string;
  /** A new sandbox, or one whose processes and files a reset has just ended. */
  readonly after: 'boot' | 'reset';
}

/** What `Language.warm` rejects with when the sandbox's image lacks what the language needs. */
export class ProgramMissing extends Error {
  readonly program: string;

  constructor(program: string) {
    super(`there is no ${program} that can be run`);
    this.program = program;
  }
}

/** How an interpreter is started. */
export interface OpenOptions {
  readonly once: boolean;
  /** Other runs wait for the sandbox. */
  readonly awaited?: boolean;
  readonly code?: string;
  /** The id of the owner that it is for. */
  readonly owner?: string;
  readonly onKey?: (key: string) => void;
}

/** A cell that another engine has started. */
export interface ResumedCell {
  /** Whether its output comes from the beginning. */
  readonly isWhole: boolean;
  /** As of `Interpreter.run`; to be called before the sandbox's stream continues. */
  follow(onOutput: (output: CellOutput) => void, onInput?: OnInput): Promise<CellEnd>;
}

/** An interpreter that another engine had. */
export interface ResumedInterpreter {
  readonly interpreter: Interpreter;
  /** The last `CellRequest.note`, or what `settled` was given. */
  readonly note: unknown;
  /** The cell whose answer has not been passed on. */
  readonly cell: ResumedCell | null;
}

/** A language at work in one engine. */
export interface Language {
  /** The key of the pool whose sandboxes run the code best. */
  keyOf?(code: string, task?: LanguageTask): string;
  /**
   * Starts an interpreter; with `once` it ends after its first cell, unless it is `alive` then: the cell has left
   * nothing that its owner may not see again. `code` is what it will run first, where that is known: a hint. `onKey`
   * receives keys that sandboxes could be kept warm for.
   */
  open(sandbox: Sandbox, options: OpenOptions): Interpreter;
  /**
   * Continues with the interpreter of a session that another engine had; null when it has ended. Missing where what the
   * engine knows of a session cannot be found again. Throws when the sandbox was left by an engine of another kind.
   */
  resume?(resumed: ResumedSandbox): ResumedInterpreter | null;
  /**
   * Warms up a sandbox; it serves runs as soon as this resolves, and slow work may continue after that. null means that
   * there is nothing to do. A rejection ends the sandbox; after a boot it counts as a failed boot, and waiting requests
   * get the problem, for a `ProgramMissing` with the image and the next step.
   */
  warm?(sandbox: Sandbox, warming: Warming): Promise<void> | null;
}
