import { z } from 'zod';

/**
 * The interpreter protocol: what the engine asks of an interpreter's process, whatever language its driver is for, and the
 * events it answers with. Events come from user code's process: see `parseEvent` for the bounds of their shape.
 */

/** Engine → interpreter: run a cell. */
export interface InterpreterRun {
  readonly op: 'run';
  /** Echoed by every event of this request; events without it are dropped. */
  readonly token: string;
  readonly code: string;
  /** Shown as the file name in tracebacks, for example `<cell 3>`. */
  readonly name: string;
  /** The value of `__file__`, if the code comes from a file. */
  readonly file?: string;
  /** The whole of stdin; empty means end of file at once. */
  readonly stdin: string;
  /** Questions for a line of text may be sent as `input` events; missing: they are read from `stdin`. */
  readonly asks?: boolean;
  /** Variables set before the run; when given, the JSON-able variables come back in a `state`. */
  readonly state: Readonly<Record<string, unknown>> | null;
  /** Modules that the code may import, with their submodules; missing where it may import all. */
  readonly modules?: ModuleLists;
  /** Asks for `filesChanged`: the time of the last look at the workspace, in nanoseconds; `0` for none. */
  readonly changesSince?: string;
  /** The process ends after this run, as a program does: threads joined, exit functions called. */
  readonly once: boolean;
}

/** `blocked` takes precedence; an empty `allowed` allows every module. */
export interface ModuleLists {
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

/** Engine → interpreter: completions at `cursor`, a UTF-16 offset into `code`. */
export interface InterpreterComplete {
  readonly op: 'complete';
  readonly token: string;
  readonly code: string;
  readonly cursor: number;
}

/** Engine → interpreter: become the `count` copies whose channels were started before; answered by `copied`. */
export interface InterpreterCopy {
  readonly op: 'copy';
  readonly token: string;
  readonly count: number;
}

/** Engine → interpreter: the answer to an `input` event. One that comes too late is dropped. */
export interface InterpreterInput {
  readonly op: 'input';
  readonly token: string;
  readonly key: number;
  /** null: the input has ended. */
  readonly text: string | null;
}

export type InterpreterRequest = InterpreterRun | InterpreterComplete | InterpreterCopy | InterpreterInput;

/** RFC 6838, with parameters. */
const MIME_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(;[ -~]{0,100})?$/;
/** Forms that one thing may be shown in. */
const MAX_FORMS = 32;

/** An object whose members are not checked one by one. */
const Members = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Mime type → content; binary types as base64, JSON types as parsed values. What is no mime type is left out. */
const MimeBundle = Members.refine((data) => Object.keys(data).length <= MAX_FORMS).transform((data) =>
  Object.fromEntries(Object.entries(data).filter(([mime]) => MIME_TYPE.test(mime))),
);

export const InterpreterEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('display'), token: z.string(), data: MimeBundle, id: z.string().nullable() }),
  z.object({ type: z.literal('update'), token: z.string(), data: MimeBundle, id: z.string() }),
  z.object({ type: z.literal('clear'), token: z.string(), wait: z.boolean() }),
  z.object({ type: z.literal('result'), token: z.string(), data: MimeBundle }),
  z.object({
    type: z.literal('error'),
    token: z.string(),
    name: z.string(),
    message: z.string(),
    traceback: z.string(),
  }),
  /** A session's interpreter has taken the request: an interrupt from now on is for it. */
  z.object({ type: z.literal('begun'), token: z.string() }),
  /** The code waits for a line of text; only of runs that were sent `asks`. `key` comes back with the answer. */
  z.object({
    type: z.literal('input'),
    token: z.string(),
    key: z.int(),
    prompt: z.string().max(2_000),
    secret: z.boolean(),
  }),
  /** Before `done`, where the run was given variables; `leftOut` names those that are too large or nested too deep. */
  z.object({
    type: z.literal('state'),
    token: z.string(),
    state: Members,
    leftOut: z.array(z.string().max(400)).max(100),
  }),
  z.object({
    type: z.literal('done'),
    token: z.string(),
    status: z.enum(['ok', 'error', 'interrupted']),
    /** Status given to `exit()`, otherwise null. */
    exitCode: z.int().min(0).max(255).nullable(),
    peakMemoryBytes: z.int().nonnegative(),
    /** Whether anything in the workspace was made or changed since then; for a hint, since user code could say so too. */
    filesChanged: z.boolean().optional(),
    /** Displays left out because the run had shown too much. */
    dropped: z.int().nonnegative(),
  }),
  z.object({
    type: z.literal('completions'),
    token: z.string(),
    /** UTF-16 offsets of the text that a match replaces. */
    start: z.int(),
    end: z.int(),
    matches: z.array(z.string()),
  }),
  z.object({
    type: z.literal('copied'),
    token: z.string(),
    /** Threads and sockets of the process that its copies do not have. */
    threads: z.int().nonnegative(),
    sockets: z.int().nonnegative(),
  }),
]);
export type InterpreterEvent = z.infer<typeof InterpreterEvent>;
