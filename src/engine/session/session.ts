import type { CellRequest, ResumedCell, ResumedInterpreter } from '../../languages/language.ts';
import type { Lease } from '../../pool/lease.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { ChangedFiles } from '../files/types.ts';
import type { Workspace } from '../files/workspace.ts';
import { notCopied } from '../problems.ts';
import { type Executed, execute, interruptingTerminator, type RunTerms, supervise } from '../run/execute.ts';
import type { Stoppable } from '../run/terminator.ts';
import type {
  ContinuedRun,
  ContinuedRunListener,
  EngineProblem,
  Owner,
  Result,
  SessionInfo,
  SessionState,
} from '../types.ts';
import { type Acquisition, BoundedMutex } from './boundedMutex.ts';
import { Lifecycle, type LifecycleDependencies, type LiveInterpreter } from './lifecycle.ts';
import { noTurn, notLive } from './messages.ts';
import { type Question, Questions } from './questions.ts';
import { type RunNote, runNote, type SessionNote } from './sessionNote.ts';
import { type Choice, Trial, type Tried } from './trial.ts';

const MAX_WAITING_CELLS = 100;

/** What a session works with. */
export interface SessionDependencies extends LifecycleDependencies {
  readonly owner: Owner;
  readonly environment: string;
  readonly languageId: string;
  /** When another engine has opened it, in milliseconds since the epoch. */
  readonly openedAt?: number;
}

/** A cell for a session; `cell` names it where the caller has places for cells. */
export type SessionCell = Pick<CellRequest, 'code' | 'stdin' | 'cell' | 'onInput'> & { readonly runId: string };

/** What a cell needs before it runs, as a function that returns why the cell cannot run; null where it needs nothing. */
export type Preparation = (live: LiveInterpreter) => ((signal: AbortSignal) => Promise<EngineProblem | null>) | null;

/** What a session that another engine had continues with. */
export interface Resumption {
  readonly lease: Lease;
  readonly resumed: ResumedInterpreter;
  readonly note: SessionNote;
  /** Receives a run that is in progress, before its output; returns the listener. */
  readonly onRun: (run: ContinuedRun) => ContinuedRunListener;
}

/** A run that continues. */
export interface ContinuedCell {
  readonly runId: string;
  readonly answer: Promise<CellAnswer>;
}

/** The outcome of a cell: it ran, and `loss` names what the session lost with it, or it could not start. */
export type CellAnswer =
  | {
      readonly kind: 'ran';
      readonly executed: Executed;
      readonly loss: string | null;
      /** What it has changed; null where that was not asked for, or cannot be known. */
      readonly files: ChangedFiles | null;
    }
  | { readonly kind: 'refused'; readonly problem: EngineProblem };

/** The outcome of candidates; `loss` names what the session lost with them. */
export type TrialAnswer =
  | { readonly kind: 'tried'; readonly tried: Tried; readonly loss: string | null }
  | { readonly kind: 'refused'; readonly problem: EngineProblem };

/** One session: at most one interpreter at a time, cells one after the other in the order of arrival. */
export class Session {
  readonly id: string;
  readonly #deps: SessionDependencies;
  readonly #mutex = new BoundedMutex(MAX_WAITING_CELLS);
  readonly #lifecycle: Lifecycle;
  readonly #questions: Questions;
  readonly #openedAt: number;
  /** Whether a person shares it with all agents. */
  isShared = false;
  #lastUsedAt: number;
  #runs = 0;
  /** Gives up the question that waits for its turn. */
  #nextQuestion: AbortController | null = null;
  #waitingCells = 0;
  /** Ends what has the turn and is no cell. */
  #exclusive: AbortController | null = null;

  constructor(deps: SessionDependencies) {
    this.id = deps.id;
    this.#deps = deps;
    this.#openedAt = deps.openedAt ?? Date.now();
    this.#lastUsedAt = this.#openedAt;
    this.#lifecycle = new Lifecycle(deps);
    this.#questions = new Questions(deps.clock);
  }

  get language(): string {
    return this.#deps.languageId;
  }

  /** Id of its environment. */
  get environment(): string {
    return this.#deps.environment;
  }

  get owner(): Owner {
    return this.#deps.owner;
  }

  /** What its sandbox may use. */
  get memory(): MemoryLimit {
    return this.#deps.memory.limit;
  }

  /** Whether it has a sandbox or waits for one. */
  get isLive(): boolean {
    return this.#lifecycle.live !== null || this.#lifecycle.isStarting;
  }

  /** Its interpreter now. */
  get live(): LiveInterpreter | null {
    return this.#lifecycle.live;
  }

  get sandboxId(): string | null {
    return this.#lifecycle.live?.lease.sandbox.id ?? null;
  }

  /** What views see; the caller knows `memoryBytes`. */
  info(memoryBytes: number | null = null): SessionInfo {
    const { state } = this.#lifecycle;
    return {
      id: this.id,
      language: this.language,
      environment: this.#deps.environment,
      owner: this.#deps.owner,
      isShared: this.isShared,
      state: this.#publicState(),
      endReason: 'reason' in state ? state.reason : null,
      sandboxId: this.sandboxId,
      openedAt: this.#openedAt,
      lastUsedAt: this.#lastUsedAt,
      runs: this.#runs,
      memoryBytes,
    };
  }

  /** Leases its first sandbox. Without one the session has `ended`, with the problem as the reason. */
  async start(signal?: AbortSignal): Promise<EngineProblem | null> {
    const turn = await this.#mutex.acquire(signal);
    if (turn.kind !== 'acquired') {
      this.#lifecycle.cancelStart();
      return this.#noTurn(turn.kind);
    }
    try {
      const problem = await this.#lifecycle.start(signal);
      const { live } = this.#lifecycle;
      if (live?.isKept) this.#settle(live);
      live?.lease.sandbox.retention?.flush();
      return problem;
    } finally {
      turn.release();
    }
  }

  /** Continues where another engine has left it: with the cell that runs, or null when none does. */
  resume({ lease, resumed, note, onRun }: Resumption): ContinuedCell | null {
    const live = this.#lifecycle.resume(lease, resumed.interpreter, note.cells, note.mark);
    this.#runs = note.runs;
    this.#lastUsedAt = note.lastUsedAt;
    void this.#deps.keeping?.takeOver(lease.sandbox);
    void this.#deps.memory.give(lease.sandbox);
    const { run } = note;
    const { cell } = resumed;
    if (!run || !cell) return null;
    const { runId, codeHash, startedAt } = run;
    const listener = onRun({ runId, cell: run.cell, codeHash, startedAt, isWhole: cell.isWhole });
    return { runId, answer: this.#continue(live, run, cell, listener) };
  }

  /** Leaves it to another engine, where one can resume it; then it is closed here. */
  async detach(): Promise<void> {
    await this.#lifecycle.detach();
    this.#mutex.rejectWaiting();
  }

  /** Runs a cell when its turn has come, and in the same turn first what prepares it. Never rejects. */
  async run(cell: SessionCell, terms: RunTerms, reportFiles = false, prepare?: Preparation): Promise<CellAnswer> {
    const turn = await this.#turnOf(terms.signal);
    if (turn.kind !== 'acquired') return { kind: 'refused', problem: this.#noTurn(turn.kind) };
    try {
      const prepared = prepare && (await this.#prepared(prepare, terms.signal));
      if (prepared) return { kind: 'refused', problem: prepared };
      const { live, refusal } = this.#lifecycle;
      return live ? await this.#runIn(live, cell, terms, reportFiles) : { kind: 'refused', problem: notLive(refusal) };
    } finally {
      turn.release();
    }
  }

  /** Runs each code on a copy of the interpreter, side by side, when its turn has come. Never rejects. */
  async tryCode(codes: readonly string[], terms: RunTerms, choice: Choice): Promise<TrialAnswer> {
    const turn = await this.#turnOf(terms.signal);
    if (turn.kind !== 'acquired') return { kind: 'refused', problem: this.#noTurn(turn.kind) };
    try {
      const { live, refusal } = this.#lifecycle;
      return live ? await this.#tryIn(live, codes, terms, choice) : { kind: 'refused', problem: notLive(refusal) };
    } finally {
      turn.release();
    }
  }

  /**
   * Asks the interpreter a question of an editor. Returns `nothing` while a cell runs, and when the answer takes long
   * or `signal` aborts; the question then continues, and a cell or the latest question waits for its end.
   */
  async ask<T>(question: Question<T>, nothing: T, signal?: AbortSignal): Promise<Result<T>> {
    const { refusal } = this.#lifecycle;
    if (refusal) return { ok: false, error: refusal };
    this.#nextQuestion?.abort();
    const isCellNext = this.#waitingCells > 0 || (this.#mutex.isHeld && !this.#questions.pending);
    if (isCellNext) return { ok: true, value: nothing };
    const next = new AbortController();
    this.#nextQuestion = next;
    const value = await this.#questions.inTime(this.#askInTurn(question, nothing, next.signal), nothing, signal);
    // When its caller has given it up, it need not begin.
    next.abort();
    return { ok: true, value };
  }

  /** Does something with its sandbox while no cell runs; `signal` aborts when the session is interrupted or closed. */
  async exclusively<T>(
    signal: AbortSignal | undefined,
    act: (live: LiveInterpreter, signal: AbortSignal) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const turn = await this.#turnOf(signal);
    if (turn.kind !== 'acquired') return { ok: false, error: this.#noTurn(turn.kind) };
    try {
      const { live, refusal } = this.#lifecycle;
      if (!live) return { ok: false, error: notLive(refusal) };
      return await this.#interruptibly(signal, (inner) => act(live, inner));
    } finally {
      turn.release();
    }
  }

  /** The files of its sandbox, or why it has none now. */
  workspace(): Result<Workspace> {
    const { live, refusal } = this.#lifecycle;
    return live ? { ok: true, value: live.workspace } : { ok: false, error: notLive(refusal) };
  }

  /** Its sandbox, or why it has none now. */
  sandbox(): Result<Sandbox> {
    const { live, refusal } = this.#lifecycle;
    return live ? { ok: true, value: live.lease.sandbox } : { ok: false, error: notLive(refusal) };
  }

  /** A function that says whether no cell runs, or has run since this call. */
  idleCheck(): () => boolean {
    const { live } = this.#lifecycle;
    const cells = live?.cells;
    return () => live?.running === null && live.cells === cells;
  }

  /** Interrupts the running cell, or the question that a cell waits for. */
  interrupt(): void {
    this.#lifecycle.live?.running?.stop('interrupted');
    this.#questions.pending?.hurry();
    this.#exclusive?.abort();
  }

  /** Starts a new interpreter in a new sandbox; interrupts the running cell and rejects those that wait. */
  restart(signal?: AbortSignal): Promise<EngineProblem | null> {
    const { state, refusal } = this.#lifecycle;
    if (state.kind === 'closed' || state.kind === 'starting') return Promise.resolve(refusal);
    this.#mutex.rejectWaiting();
    this.#exclusive?.abort();
    this.#lifecycle.restart();
    return this.start(signal);
  }

  /** Ends it for good; `reason` as in `it was closed`. */
  close(reason: string): void {
    this.#lifecycle.close(reason);
    this.#exclusive?.abort();
    this.#mutex.rejectWaiting();
  }

  async #continue(
    live: LiveInterpreter,
    { timeoutMs, outputBytes, startedAt, reportFiles }: RunNote,
    cell: ResumedCell,
    { onOutput, onInput }: ContinuedRunListener,
  ): Promise<CellAnswer> {
    const { clock } = this.#deps;
    // Nothing else has a turn yet, so this one comes at once.
    const turn = this.#mutex.acquire();
    const terminator = interruptingTerminator(clock, live.interpreter, live.lease.sandbox);
    const elapsedMs = Math.max(0, Date.now() - startedAt);
    this.#setRunning(live, terminator);
    const terms = { timeoutMs, outputBytes, elapsedMs, signal: undefined, onOutput, terminator, clock };
    const executed = await supervise(terms, (take) => cell.follow(take, onInput));
    try {
      return await this.#finish(live, executed, reportFiles);
    } finally {
      const taken = await turn;
      if (taken.kind === 'acquired') taken.release();
    }
  }

  /** Why a cell whose turn it is cannot run, or null. */
  async #prepared(prepare: Preparation, signal: AbortSignal | undefined): Promise<EngineProblem | null> {
    const { live, refusal } = this.#lifecycle;
    if (!live) return notLive(refusal);
    const act = prepare(live);
    return act && (await this.#interruptibly(signal, act));
  }

  /** Does something in a turn; the signal it gets aborts when the session is interrupted or closed, too. */
  async #interruptibly<T>(signal: AbortSignal | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#exclusive = controller;
    this.#deps.onChange();
    try {
      return await act(AbortSignal.any(signal ? [signal, controller.signal] : [controller.signal]));
    } finally {
      this.#exclusive = null;
      this.#lastUsedAt = Date.now();
      this.#deps.onChange();
    }
  }

  async #runIn(live: LiveInterpreter, cell: SessionCell, terms: RunTerms, reportFiles: boolean): Promise<CellAnswer> {
    const { clock } = this.#deps;
    const { interpreter, lease, workspace } = live;
    const { runId, ...rest } = cell;
    live.cells += 1;
    const terminator = interruptingTerminator(clock, interpreter, lease.sandbox);
    const changesSince = reportFiles && { changesSince: workspace.mark };
    const note = live.isKept && { note: this.#note(live, runNote(cell, terms, reportFiles)) };
    const request = { ...rest, name: `<cell ${live.cells}>`, state: null, ...changesSince, ...note };
    this.#setRunning(live, terminator);
    const executed = await execute({ ...terms, clock, interpreter, terminator, cell: request });
    return this.#finish(live, executed, reportFiles);
  }

  async #finish(live: LiveInterpreter, executed: Executed, reportFiles: boolean): Promise<CellAnswer> {
    const { retention } = live.lease.sandbox;
    if (live.isKept) retention?.hold();
    const files = reportFiles ? await live.workspace.changesAfter(executed.end) : null;
    this.#setRunning(live, null);
    this.#runs += 1;
    if (live.isKept) this.#settle(live);
    return { kind: 'ran', executed, loss: this.#lifecycle.afterCell(live, executed), files };
  }

  async #tryIn(live: LiveInterpreter, codes: readonly string[], terms: RunTerms, choice: Choice): Promise<TrialAnswer> {
    const { interpreter: before } = live;
    const copies = before.copy?.(codes.length);
    if (!copies) return { kind: 'refused', problem: notCopied(this.id, this.language) };
    live.cells += 1;
    const trial = new Trial(live, copies, { ...terms, clock: this.#deps.clock, choice, name: `<cell ${live.cells}>` });
    this.#setRunning(live, trial);
    const tried = await trial.run(codes);
    if (tried.kept) {
      this.#lifecycle.adopt(live, tried.kept.interpreter);
      await trial.end(before);
    }
    this.#setRunning(live, null);
    this.#runs += codes.length;
    if (live.isKept) this.#settle(live);
    return { kind: 'tried', tried, loss: this.#lifecycle.afterCell(live, null) };
  }

  /** Another engine need not get the last answer again. Leaves after the caller has it. */
  #settle(live: LiveInterpreter): void {
    live.interpreter.settled?.(this.#note(live, null));
    live.lease.sandbox.retention?.settle();
  }

  #note({ cells, workspace }: LiveInterpreter, run: RunNote | null): SessionNote {
    return { cells, runs: this.#runs, lastUsedAt: this.#lastUsedAt, mark: workspace.mark, run };
  }

  /** A cell's turn; a question that is pending is interrupted first, and none begins before. */
  async #turnOf(signal: AbortSignal | undefined): Promise<Acquisition | { readonly kind: 'stuck' }> {
    const { pending } = this.#questions;
    this.#nextQuestion?.abort();
    this.#waitingCells += 1;
    try {
      if (!pending) return await this.#mutex.acquire(signal);
      pending.hurry();
      const turn = await this.#mutex.acquire(AbortSignal.any(signal ? [signal, pending.stuck] : [pending.stuck]));
      return turn.kind === 'aborted' && !signal?.aborted ? { kind: 'stuck' } : turn;
    } finally {
      this.#waitingCells -= 1;
    }
  }

  async #askInTurn<T>(question: Question<T>, nothing: T, signal: AbortSignal): Promise<T> {
    const turn = await this.#mutex.acquire(signal);
    if (turn.kind !== 'acquired') return nothing;
    try {
      const { live } = this.#lifecycle;
      if (!live || signal.aborted || this.#waitingCells > 0) return nothing;
      return await this.#questions.ask(live.interpreter, question, nothing);
    } finally {
      turn.release();
    }
  }

  #setRunning(live: LiveInterpreter, running: Stoppable | null): void {
    live.running = running;
    this.#lastUsedAt = Date.now();
    this.#deps.onChange();
  }

  #noTurn(kind: 'aborted' | 'full' | 'rejected' | 'stuck'): EngineProblem {
    return noTurn(kind, this.id, this.#lifecycle.refusal);
  }

  #publicState(): SessionState {
    const { live, isStarting } = this.#lifecycle;
    if (live) return live.running || this.#exclusive ? 'busy' : 'idle';
    return isStarting ? 'starting' : 'ended';
  }
}
