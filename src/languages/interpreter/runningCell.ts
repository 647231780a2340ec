import { randomUUID } from 'node:crypto';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { InterpreterEvent, InterpreterInput } from '../../protocol/interpreter.ts';
import type { CellEnd, CellOutput, OnInput } from '../language.ts';
import { TextStream } from '../textStream.ts';
import { InputQuestions } from './inputQuestions.ts';
import type { Done, Progress } from './outcome.ts';

type Shown = Extract<InterpreterEvent, { type: 'display' | 'update' | 'result' | 'clear' | 'error' }>;

/** The progress of a cell that has sent nothing. */
export const NO_PROGRESS: Progress = {
  error: null,
  done: null,
  state: null,
  leftOut: [],
  refused: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
};

/** What a cell runs with. */
export interface RunningCellOptions {
  readonly token?: string;
  readonly onOutput: (output: CellOutput) => void;
  /** Whether it received variables. */
  readonly hasState: boolean;
  /** Missing where its questions are read from stdin. */
  readonly onInput: OnInput | undefined;
  /** Sends the answer to a question. */
  readonly answer: (answer: InterpreterInput) => void;
  /** Whether its process has taken it, so that an interrupt has an effect. */
  readonly isBegun: boolean;
}

/** A cell between its request and its end: passes its output on and collects what its result needs. */
export class RunningCell {
  readonly kind = 'cell';
  readonly token: string;
  readonly ended: Deferred<CellEnd> = deferred<CellEnd>();
  readonly #onOutput: (output: CellOutput) => void;
  readonly #hasState: boolean;
  readonly #questions: InputQuestions | null;
  readonly #streams = { stdout: new TextStream(), stderr: new TextStream() };
  #isBegun: boolean;
  /** Runs once the process has taken the cell: an earlier interrupt would have no effect. */
  #interrupt: (() => void) | undefined;
  #progress = NO_PROGRESS;

  constructor({ token = randomUUID(), onOutput, hasState, onInput, answer, isBegun }: RunningCellOptions) {
    this.token = token;
    this.#onOutput = onOutput;
    this.#hasState = hasState;
    this.#isBegun = isBegun;
    this.#questions = onInput
      ? new InputQuestions(onInput, (key, text) => answer({ op: 'input', token, key, text }))
      : null;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Calls `interrupt` as soon as it has an effect. */
  interrupt(interrupt: () => void): void {
    if (this.#isBegun) interrupt();
    else this.#interrupt = interrupt;
  }

  onText(kind: 'stdout' | 'stderr', bytes: Buffer): void {
    const text = this.#streams[kind].push(bytes);
    if (text) this.#onOutput({ kind, text });
  }

  /** Takes an event, or one that was refused. Returns its last one. */
  onEvent(event: InterpreterEvent | 'refused', stdoutBytes: number, stderrBytes: number): Done | null {
    this.#progress = { ...this.#progress, stdoutBytes, stderrBytes };
    if (event === 'refused') {
      this.#progress = { ...this.#progress, refused: this.#progress.refused + 1 };
      return null;
    }
    switch (event.type) {
      case 'done':
        this.#progress = { ...this.#progress, done: event };
        return event;
      case 'begun':
        this.#isBegun = true;
        this.#interrupt?.();
        this.#interrupt = undefined;
        break;
      case 'input':
        this.#questions?.ask({ key: event.key, text: event.prompt, isSecret: event.secret });
        break;
      case 'state':
        if (this.#hasState) this.#progress = { ...this.#progress, state: event.state, leftOut: event.leftOut };
        break;
      case 'completions':
      case 'copied':
        break;
      default:
        this.#show(event);
    }
    return null;
  }

  /** Passes on the rest of its output, and its end. */
  finish(end: CellEnd): void {
    this.#questions?.end();
    for (const kind of ['stdout', 'stderr'] as const) {
      const text = this.#streams[kind].end();
      if (text) this.#onOutput({ kind, text });
    }
    this.ended.resolve(end);
  }

  #show(event: Shown): void {
    if (event.type === 'display') this.#onOutput({ kind: 'display', display: { data: event.data, id: event.id } });
    else if (event.type === 'update') this.#onOutput({ kind: 'update', display: { data: event.data, id: event.id } });
    else if (event.type === 'result') this.#onOutput({ kind: 'result', data: event.data });
    else if (event.type === 'clear') this.#onOutput({ kind: 'clear', wait: event.wait });
    else {
      const { name, message, traceback } = event;
      this.#progress = { ...this.#progress, error: { name, message, traceback } };
      this.#onOutput({ kind: 'error', error: { name, message, traceback } });
    }
  }
}
