import type { Sandbox } from '../sandbox/sandbox.ts';

/** One piece of code to run in an interpreter. */
export interface CellRequest {
  readonly code: string;
  /** File name in tracebacks, for example `<cell 3>`. */
  readonly name: string;
  /** Which cell of its session it is: one that ran before is replaced at its place, where the language knows places. */
  readonly cell?: string;
  /** What is wanted of a one-shot run beside running the code. */
  readonly task?: LanguageTask;
  /** The whole of stdin. */
  readonly stdin: string;
  /** Kept of what the language says of the code, in UTF-16 units; 1 MiB where it is not given. */
  readonly outputLimit?: number;
  /** Variables set before; when not null, the JSON-able variables come back. */
  readonly state: Readonly<Record<string, unknown>> | null;
}

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
  /** Something was left out or cut to stay within the output limit. */
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
 * Decided by facts: the exit, the kernel's counter of kills, the driver's word about its own run. */
export interface CellEnd {
  readonly status: 'ok' | 'error' | 'interrupted' | 'out_of_memory' | 'sandbox_lost' | 'killed' | 'unstopped';
  readonly exitCode: number | null;
  readonly state: Readonly<Record<string, unknown>> | null;
  /** Variables that `state` lacks because they are too large for it, or nested too deep. */
  readonly stateLeftOut?: readonly string[];
  readonly error: CellError | null;
  /** Null where the language checks nothing, or nothing was checked. */
  readonly report: CellReport | null;
  /** Bytes written, passed on or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly eventsDropped: number;
  readonly peakMemoryBytes: number;
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

/** A running interpreter in a sandbox. One cell at a time. */
export interface Interpreter {
  /** Never rejects; `onOutput` is not called after the promise has resolved. */
  run(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd>;
  /** Only between cells; empty when the interpreter has ended. */
  complete(code: string, cursor: number, cell?: string): Promise<CompletionList>;
  /** What is known of the thing at the cursor, as Markdown; null for nothing. Only between cells. */
  hover?(draft: Draft): Promise<string | null>;
  /** Where the thing at the cursor is defined, as far as that is in the session. Only between cells. */
  definition?(draft: Draft): Promise<readonly CellPlace[]>;
  /** What the session stands on as text, for checks beside it; only between cells. */
  text?(): string;
  /** Asks the running cell to stop; it may refuse. */
  interrupt(): void;
  /** Ends the process at once; a running cell ends as `killed`. */
  kill(): void;
  /** Resolves when there will be no further cells, whatever the reason; missing where that is not known. */
  readonly ended?: Promise<CellEnd>;
}

/** A sandbox to be made ready. */
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

/** A language at work in one engine. */
export interface Language {
  /** Which pool's sandboxes run the code best, where a language has several; a pool's key. */
  keyOf?(code: string, task?: LanguageTask): string;
  /**
   * Starts an interpreter; with `once` it ends after its first cell, unless it is `alive` then: what the cell has left is
   * nothing that its owner could not see again. `onKey` hears of keys that sandboxes could be kept warm for.
   */
  open(sandbox: Sandbox, options: { readonly once: boolean; readonly onKey?: (key: string) => void }): Interpreter;
  /**
   * Makes a sandbox ready for runs; it serves as soon as this has resolved, and what is slow may continue afterwards. null
   * means that there is nothing to do. A rejection ends the sandbox; after a boot it counts as a boot that failed, and
   * those who wait get the problem, of a `ProgramMissing` with the image and what to do about it.
   */
  warm?(sandbox: Sandbox, warming: Warming): Promise<void> | null;
}
