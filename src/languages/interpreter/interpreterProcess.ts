import { randomUUID } from 'node:crypto';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { Steps } from '../../base/slices.ts';
import type {
  InterpreterEvent,
  InterpreterInput,
  InterpreterRequest,
  ModuleLists,
} from '../../protocol/interpreter.ts';
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
import { TextStream } from '../textStream.ts';
import { parseEvent } from './events.ts';
import { InputQuestions } from './inputQuestions.ts';
import { type CellNote, formatNote } from './note.ts';
import { endOfExit, endOfLoss, type Progress } from './outcome.ts';

type Done = Extract<InterpreterEvent, { type: 'done' }>;

interface RunningCell {
  readonly kind: 'cell';
  readonly token: string;
  readonly onOutput: (output: CellOutput) => void;
  readonly ended: Deferred<CellEnd>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Whether it received variables. */
  readonly hasState: boolean;
  /** null where its questions are read from stdin. */
  readonly questions: InputQuestions | null;
  /** An interrupt waits until the process has taken the cell: an earlier one would have no effect. */
  interrupt: 'early' | 'wanted' | 'free';
  progress: Progress;
}

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

const NO_PROGRESS: Progress = {
  error: null,
  done: null,
  state: null,
  leftOut: [],
  refused: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
};
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
    const task = this.#cell(randomUUID(), onOutput, cell.state !== null, onInput, this.#once ? 'free' : 'early');
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
    const task = this.#cell(token, onOutput, false, onInput, isWhole ? 'early' : 'free');
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
    if (this.#task?.kind === 'cell' && this.#task.interrupt !== 'free') this.#task.interrupt = 'wanted';
    else this.#signalled = this.#channel.signal('SIGINT');
  }

  kill(): void {
    this.#killed = true;
    void this.#channel.signal('SIGKILL');
  }

  #cell(
    token: string,
    onOutput: (output: CellOutput) => void,
    hasState: boolean,
    onInput: OnInput | undefined,
    interrupt: RunningCell['interrupt'],
  ): RunningCell {
    const answer = (key: number, text: string | null) => this.#answer({ op: 'input', token, key, text });
    return {
      kind: 'cell',
      token,
      onOutput,
      ended: deferred<CellEnd>(),
      stdout: new TextStream(),
      stderr: new TextStream(),
      hasState,
      questions: onInput ? new InputQuestions(onInput, answer) : null,
      interrupt,
      progress: NO_PROGRESS,
    };
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
    const task = this.#task;
    if (task?.kind !== 'cell') return;
    const text = task[kind].push(bytes);
    if (text) task.onOutput({ kind, text });
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
    task.progress = { ...task.progress, stdoutBytes, stderrBytes };
    if (event === 'refused') task.progress = { ...task.progress, refused: task.progress.refused + 1 };
    else if (event.type === 'done') this.#onDone(task, event);
    else if (event.type === 'begun') this.#onBegun(task);
    else if (event.type === 'input') {
      task.questions?.ask({ key: event.key, text: event.prompt, isSecret: event.secret });
    } else if (event.type === 'state') {
      if (task.hasState) task.progress = { ...task.progress, state: event.state, leftOut: event.leftOut };
    } else this.#show(task, event);
  }

  #onBegun(task: RunningCell): void {
    const { interrupt } = task;
    task.interrupt = 'free';
    if (interrupt === 'wanted') this.interrupt();
  }

  #show(task: RunningCell, event: Exclude<InterpreterEvent, { type: 'done' | 'state' | 'begun' | 'input' }>): void {
    if (event.type === 'display') task.onOutput({ kind: 'display', display: { data: event.data, id: event.id } });
    else if (event.type === 'update') task.onOutput({ kind: 'update', display: { data: event.data, id: event.id } });
    else if (event.type === 'result') task.onOutput({ kind: 'result', data: event.data });
    else if (event.type === 'clear') task.onOutput({ kind: 'clear', wait: event.wait });
    else if (event.type === 'error') {
      const { name, message, traceback } = event;
      task.progress = { ...task.progress, error: { name, message, traceback } };
      task.onOutput({ kind: 'error', error: { name, message, traceback } });
    }
  }

  #onDone(task: RunningCell, done: Done): void {
    task.progress = { ...task.progress, done };
    this.#finishCell(task, endOfCell(task.progress, done, this.#once));
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
    task.questions?.end();
    for (const kind of ['stdout', 'stderr'] as const) {
      const text = task[kind].end();
      if (text) task.onOutput({ kind, text });
    }
    task.ended.resolve(end);
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
  const { once, importable, ...start } = given;
  const open = (listener: ChannelListener) => sandbox.start({ kind: 'interpreter', ...start }, listener);
  return new InterpreterProcess(open, given);
}

/** What the agent keeps of a cell while it runs. A request ends with a newline. */
function noteOf(token: string, request: string, session: unknown): (runs: number) => string {
  return (runs) => formatNote({ session, cell: { token, runs, bytes: Buffer.byteLength(request) + 1 } });
}

function endOfCell(progress: Progress, done: Done, once: boolean): CellEnd {
  return {
    status: done.status,
    exitCode: done.exitCode ?? (once ? Number(done.status !== 'ok') : null),
    state: progress.state,
    stateLeftOut: progress.leftOut,
    error: progress.error,
    report: null,
    stdoutBytes: progress.stdoutBytes,
    stderrBytes: progress.stderrBytes,
    eventsDropped: done.dropped + progress.refused,
    peakMemoryBytes: done.peakMemoryBytes,
    ...(done.filesChanged !== undefined && { filesChanged: done.filesChanged }),
    alive: !once,
  };
}

function tooLarge(alive: boolean): CellEnd {
  const error = plainError('TooLarge', `Code, stdin and state have more than ${MAX_REQUEST_BYTES} bytes together.`);
  return cellEnd({ status: 'error', error, alive });
}
