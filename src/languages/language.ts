import type { Sandbox } from '../sandbox/sandbox.ts';

/** One piece of code to run in an interpreter. */
export interface CellRequest {
  readonly code: string;
  /** File name in tracebacks, for example `<cell 3>`. */
  readonly name: string;
  /** The whole of stdin. */
  readonly stdin: string;
  /** Variables set before; when not null, the JSON-able variables come back. */
  readonly state: Readonly<Record<string, unknown>> | null;
}

export type MimeData = Readonly<Record<string, unknown>>;

export interface CellError {
  readonly name: string;
  readonly message: string;
  readonly traceback: string;
}

/** What a cell says while it runs, in order. */
export type CellOutput =
  | { readonly kind: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'display' | 'update'; readonly display: { readonly data: MimeData; readonly id: string | null } }
  | { readonly kind: 'result'; readonly data: MimeData }
  | { readonly kind: 'clear'; readonly wait: boolean }
  | { readonly kind: 'error'; readonly error: CellError };

/** How a cell ended, decided by facts: the exit, the kernel's counter of kills, the driver's word about its own run. */
export interface CellEnd {
  readonly status: 'ok' | 'error' | 'interrupted' | 'out_of_memory' | 'sandbox_lost' | 'killed';
  readonly exitCode: number | null;
  readonly state: Readonly<Record<string, unknown>> | null;
  readonly error: CellError | null;
  /** Bytes written, passed on or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly eventsDropped: number;
  readonly peakMemoryBytes: number;
  /** The interpreter can run another cell. */
  readonly alive: boolean;
}

export interface CompletionList {
  /** UTF-16 offsets of the text that a match replaces. */
  readonly start: number;
  readonly end: number;
  readonly matches: readonly string[];
}

/** A running interpreter in a sandbox. One cell at a time. */
export interface Interpreter {
  /** Never rejects; `onOutput` is not called after the promise has resolved. */
  run(cell: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd>;
  /** Only between cells; empty when the interpreter has ended. */
  complete(code: string, cursor: number): Promise<CompletionList>;
  /** Asks the running cell to stop; it may refuse. */
  interrupt(): void;
  /** Ends the process at once; a running cell ends as `killed`. */
  kill(): void;
}

/** What is special about a language. */
export interface Language {
  readonly id: 'python';
  /** Starts an interpreter; with `once` it ends after its first cell. */
  open(sandbox: Sandbox, options: { readonly once: boolean }): Interpreter;
}
