import { randomUUID } from 'node:crypto';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { Steps } from '../../base/slices.ts';
import type { InterpreterInput, InterpreterRequest, ModuleLists } from '../../protocol/interpreter.ts';
import type { Channel, ChannelEnd, ChannelListener, Sandbox } from '../../sandbox/sandbox.ts';
import { cellEnd, plainError } from '../exit.ts';
import type {
  CellEnd,
  CellOutput,
  CellRequest,
  CompletionList,
  CopyLosses,
  Interpreter,
  InterpreterCopies,
  OnInput,
} from '../language.ts';
import { parseEvent } from './events.ts';
import { type CellNote, formatNote } from './note.ts';
import { endOfCell, endOfExit, endOfLoss } from './outcome.ts';
import { NO_PROGRESS, RunningCell, type RunningCellOptions } from './runningCell.ts';

interface RunningCompletion {
  readonly kind: 'completion';
  readonly token: string;
  readonly answered: Deferred<CompletionList>;
}

interface RunningCopy {
  readonly kind: 'copy';
  readonly token: string;
  readonly interpreters: readonly Interpreter[];
  readonly answered: Deferred<CopyLosses | null>;
}

/** Code, stdin and state of one request together. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const NOTHING: CompletionList = { start: 0, end: 0, matches: [] };

/** Which interpreter to start. */
export interface InterpreterStart {
  /** The driver in `images/agent/drivers`; missing: Python's. */
  readonly driver?: string;
  /** Whether it should have the preloaded modules. */
  readonly preloaded: boolean;
  readonly once: boolean;
  /** Other runs wait for the sandbox. */
  readonly awaited?: boolean;
  /** The modules that code may import, at the time of the call; missing: all of them. */
  readonly importable?: () => ModuleLists;
}

/** One process that speaks the interpreter protocol. Its events are trusted about its own run only. */
export class InterpreterProcess implements Interpreter {
  readonly ended: Promise<CellEnd>;
  readonly copy?: (count: number) => InterpreterCopies;
  readonly #channel: Channel;
  readonly #once: boolean;
  readonly #start: InterpreterStart;
  readonly #isCopy: boolean;
  readonly #importable: (() => ModuleLists) | undefined;
  #task: RunningCell | RunningCompletion | RunningCopy | undefined;
  #end: ChannelEnd | undefined;
  #killed = false;
  /** The delivery of the last interrupt: a signal for one cell must not arrive in the next. */
  #signalled: Promise<void> | undefined;

  /** `open` starts its process, or continues with one; `isCopy`: as a copy of another one. */
  constructor(open: (listener: ChannelListener) => Channel, given: InterpreterStart, isCopy = false) {
    const { once, importable } = given;
    this.#start = given;
    this.#isCopy = isCopy;
    this.#once = once;
    this.#importable = importable;
    this.#channel = open({
      onStdout: (bytes) => this.#onText('stdout', bytes),
      onStderr: (bytes) => this.#onText('stderr', bytes),
      onEvent: (line, stdoutBytes, stderrBytes) => this.#onEvent(line, stdoutBytes, stderrBytes),
    });
    // The drivers of other languages cannot copy their process.
    if (given.driver === undefined) this.copy = (count) => this.#copy(count);
    this.ended = this.#channel.ended.then((end) => this.#onEnd(end));
  }

  run({ onInput, note, ...cell }: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const task = this.#cell({ onOutput, onInput, hasState: cell.state !== null, isBegun: this.#once });
    const modules = this.#importable?.();
    const isRestricted = modules && modules.allowed.length + modules.blocked.length > 0;
    const asks = onInput !== undefined && { asks: true };
    const request = { op: 'run', token: task.token, once: this.#once, ...asks, ...cell } as const;
    this.#begin(task, isRestricted ? { ...request, modules } : request, note);
    return task.ended.promise;
  }

  /** Continues with a cell that another engine has started; `isWhole`: all that it sends comes here. */
  follow(
    { token }: CellNote,
    isWhole: boolean,
    onOutput: (output: CellOutput) => void,
    onInput: OnInput | undefined,
  ): Promise<CellEnd> {
    const task = this.#cell({ token, onOutput, onInput, hasState: false, isBegun: !isWhole });
    this.#task = task;
    if (this.#end) this.#onEnd(this.#end);
    return task.ended.promise;
  }

  settled(note: unknown): void {
    this.#channel.note?.(formatNote({ session: note, cell: null }));
  }

  complete(code: string, cursor: number): Promise<CompletionList> {
    const task: RunningCompletion = { kind: 'completion', token: randomUUID(), answered: deferred<CompletionList>() };
    this.#begin(task, { op: 'complete', token: task.token, code, cursor });
    return task.answered.promise;
  }

  interrupt(): void {
    const signal = () => {
      this.#signalled = this.#channel.signal('SIGINT');
    };
    if (this.#task?.kind === 'cell') this.#task.interrupt(signal);
    else signal();
  }

  kill(): void {
    this.#killed = true;
    void this.#channel.signal('SIGKILL');
  }

  #cell(options: Omit<RunningCellOptions, 'answer'>): RunningCell {
    return new RunningCell({ ...options, answer: (answer) => this.#answer(answer) });
  }

  #copy(count: number): InterpreterCopies {
    const open = (listener: ChannelListener) => this.#channel.copy(listener);
    // Their channels first: the agent then has given the process what they need when it is asked.
    const interpreters = Array.from({ length: count }, () => new InterpreterProcess(open, this.#start, true));
    const task: RunningCopy = {
      kind: 'copy',
      token: randomUUID(),
      interpreters,
      answered: deferred<CopyLosses | null>(),
    };
    this.#begin(task, { op: 'copy', token: task.token, count });
    return { interpreters, losses: task.answered.promise };
  }

  #begin(task: RunningCell | RunningCompletion | RunningCopy, request: InterpreterRequest, note?: unknown): void {
    if (this.#task) throw new Error('an interpreter runs one thing at a time');
    this.#task = task;
    const text = JSON.stringify(request);
    if (this.#end) this.#onEnd(this.#end);
    else if (Buffer.byteLength(text) > MAX_REQUEST_BYTES) this.#refuse(task);
    else void this.#send(text, note === undefined ? undefined : noteOf(task.token, text, note));
  }

  /** It is too large. */
  #refuse(task: RunningCell | RunningCompletion | RunningCopy): void {
    if (task.kind === 'cell') this.#finishCell(task, tooLarge(!this.#once));
    else this.#finishQuestion(task);
  }

  /** Without an answer. */
  #finishQuestion(task: RunningCompletion | RunningCopy): void {
    if (task.kind === 'completion') this.#finishCompletion(task, NOTHING);
    else this.#finishCopy(task, null);
  }

  async #send(request: string, note: ((runs: number) => string) | undefined): Promise<void> {
    if (this.#signalled) await this.#signalled;
    this.#signalled = undefined;
    this.#channel.run(request, note);
  }

  /** It is read by the process that waits for it, so it needs no turn. */
  #answer(answer: InterpreterInput): void {
    void this.#channel.write(Buffer.from(`${JSON.stringify(answer)}\n`));
  }

  #onText(kind: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.#task?.kind === 'cell') this.#task.onText(kind, bytes);
  }

  *#onEvent(line: Buffer, stdoutBytes: number, stderrBytes: number): Steps {
    const task = this.#task;
    if (!task) return;
    const event = yield* parseEvent(line, task.token);
    // The process may have ended meanwhile, and the task with it.
    if (!event || task !== this.#task) return;
    if (task.kind === 'copy') {
      if (event !== 'refused' && event.type === 'copied')
        this.#finishCopy(task, { threads: event.threads, sockets: event.sockets });
      return;
    }
    if (task.kind === 'completion') {
      if (event !== 'refused' && event.type === 'completions') this.#finishCompletion(task, event);
      return;
    }
    const done = task.onEvent(event, stdoutBytes, stderrBytes);
    if (done) this.#finishCell(task, endOfCell(task.progress, done, this.#once));
  }

  #finishCompletion(task: RunningCompletion, list: CompletionList): void {
    this.#task = undefined;
    task.answered.resolve({ start: list.start, end: list.end, matches: list.matches });
  }

  #finishCopy({ interpreters, answered }: RunningCopy, losses: CopyLosses | null): void {
    this.#task = undefined;
    answered.resolve(losses);
    if (!losses) for (const interpreter of interpreters) interpreter.kill();
  }

  #finishCell(task: RunningCell, end: CellEnd): void {
    this.#task = undefined;
    task.finish(end);
  }

  /** Of copies that run side by side each reports what was killed for memory, so one that we have killed was not. */
  #withOwnKills(end: Extract<ChannelEnd, { kind: 'exit' }>): typeof end {
    return this.#isCopy && this.#killed ? { ...end, exit: { ...end.exit, oomKills: 0 } } : end;
  }

  #onEnd(end: ChannelEnd): CellEnd {
    this.#end = end;
    const task = this.#task;
    if (task && task.kind !== 'cell') this.#finishQuestion(task);
    const progress = task?.kind === 'cell' ? task.progress : NO_PROGRESS;
    const cellEnd =
      end.kind === 'exit' ? endOfExit(this.#withOwnKills(end), progress, this.#killed) : endOfLoss(end.loss, progress);
    if (task?.kind === 'cell') this.#finishCell(task, cellEnd);
    return cellEnd;
  }
}

/** Starts the process of an interpreter. */
export function startInterpreter(sandbox: Sandbox, given: InterpreterStart): InterpreterProcess {
  const { importable, ...start } = given;
  const open = (listener: ChannelListener) => sandbox.start({ kind: 'interpreter', ...start }, listener);
  return new InterpreterProcess(open, given);
}

/** What the agent keeps of a cell while it runs. A request ends with a newline. */
function noteOf(token: string, request: string, session: unknown): (runs: number) => string {
  return (runs) => formatNote({ session, cell: { token, runs, bytes: Buffer.byteLength(request) + 1 } });
}

function tooLarge(alive: boolean): CellEnd {
  const error = plainError('TooLarge', `Code, stdin and state have more than ${MAX_REQUEST_BYTES} bytes together.`);
  return cellEnd({ status: 'error', error, alive });
}
