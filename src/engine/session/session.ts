import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { Log } from '../../base/log.ts';
import type { CellEnd, CellRequest, Interpreter, Language } from '../../languages/language.ts';
import type { Grant, Lease } from '../../pool/lease.ts';
import type { SandboxLoss } from '../../sandbox/sandbox.ts';
import {
  cancelled,
  endedSession,
  engineClosed,
  invalidRequest,
  overloaded,
  refusalOf,
  stillAsked,
} from '../problems.ts';
import { type Executed, execute, interruptingTerminator, type RunTerms } from '../run/execute.ts';
import { statusOf } from '../run/result.ts';
import type { Terminator } from '../run/terminator.ts';
import type { EngineProblem, Owner, Result, SessionInfo, SessionState } from '../types.ts';
import { type Acquisition, BoundedMutex } from './boundedMutex.ts';
import { PendingQuestion } from './pendingQuestion.ts';

const MAX_WAITING_CELLS = 100;
/** Answers are for people who type: who asked waits no longer, but the question may take its time. */
const QUESTION_MS = 2_000;

/** Something to ask of an interpreter between cells. */
export type Question<T> = (interpreter: Interpreter) => Promise<T>;

/** What a session works with. */
export interface SessionDeps {
  readonly id: string;
  readonly owner: Owner;
  readonly environment: string;
  readonly languageId: string;
  readonly language: Language;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: (signal?: AbortSignal) => Promise<Grant>;
  readonly onChange: () => void;
}

/** A cell for a session; `cell` names it where the caller has places for cells. */
export type SessionCell = Pick<CellRequest, 'code' | 'stdin' | 'cell'>;

/** What became of a cell: it ran, and then `loss` says what the session lost by it, or it could not begin. */
export type CellAnswer =
  | { readonly kind: 'ran'; readonly executed: Executed; readonly loss: string | null }
  | { readonly kind: 'refused'; readonly problem: EngineProblem };

/** A living interpreter, with the stopper of what it runs now, and how it ended while that still ran. */
interface Life {
  readonly kind: 'live';
  readonly lease: Lease;
  readonly interpreter: Interpreter;
  running: Terminator | null;
  left: CellEnd | null;
}

type State =
  | { readonly kind: 'starting' }
  | Life
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'closed'; readonly reason: string };

/** One session: at most one interpreter at a time, cells one after the other in the order of arrival. */
export class Session {
  readonly id: string;
  readonly #deps: SessionDeps;
  readonly #mutex = new BoundedMutex(MAX_WAITING_CELLS);
  readonly #openedAt = Date.now();
  #lastUsedAt = this.#openedAt;
  #runs = 0;
  #cells = 0;
  #state: State = { kind: 'starting' };
  /** What the interpreter is asked now. */
  #question: PendingQuestion | null = null;

  constructor(deps: SessionDeps) {
    this.id = deps.id;
    this.#deps = deps;
  }

  get language(): string {
    return this.#deps.languageId;
  }

  /** Whether it has, or is about to have, a sandbox. */
  get isLive(): boolean {
    return this.#state.kind === 'live' || this.#state.kind === 'starting';
  }

  get sandboxId(): string | null {
    return this.#state.kind === 'live' ? this.#state.lease.sandbox.id : null;
  }

  /** What views see; `memoryBytes` is for the caller to know. */
  info(memoryBytes: number | null = null): SessionInfo {
    return {
      id: this.id,
      language: this.language,
      environment: this.#deps.environment,
      owner: this.#deps.owner,
      state: this.#shownState(),
      endReason: 'reason' in this.#state ? this.#state.reason : null,
      sandboxId: this.sandboxId,
      openedAt: this.#openedAt,
      lastUsedAt: this.#lastUsedAt,
      runs: this.#runs,
      memoryBytes,
    };
  }

  /** Why it takes no cells, or null when it does. */
  refusal(): EngineProblem | null {
    const state = this.#state;
    if (state.kind === 'ended') return endedSession(this.id, state.reason, true);
    return state.kind === 'closed' ? endedSession(this.id, state.reason, false) : null;
  }

  /** Gets its first sandbox. A session that could not start is `ended`; the problem says why. */
  async start(signal?: AbortSignal): Promise<EngineProblem | null> {
    const turn = await this.#mutex.acquire(signal);
    if (turn.kind !== 'acquired') {
      if (this.#isStarting()) this.#become({ kind: 'ended', reason: 'its start was cancelled' });
      return this.#noTurn(turn.kind);
    }
    try {
      return this.#isStarting() ? await this.#begin(signal) : this.refusal();
    } finally {
      turn.release();
    }
  }

  /** Runs a cell when its turn has come. Never rejects. */
  async run(cell: SessionCell, terms: RunTerms): Promise<CellAnswer> {
    const turn = await this.#turnOf(terms.signal);
    if (turn.kind !== 'acquired') return { kind: 'refused', problem: this.#noTurn(turn.kind) };
    try {
      const life = this.#state;
      if (life.kind !== 'live') return { kind: 'refused', problem: this.refusal() ?? engineClosed() };
      return await this.#runIn(life, cell, terms);
    } finally {
      turn.release();
    }
  }

  /**
   * Asks the interpreter something for somebody who types; `nothing` while a cell runs, and when the answer takes long or
   * `signal` aborts. The question goes on then; a cell waits for its end.
   */
  async ask<T>(question: Question<T>, nothing: T, signal?: AbortSignal): Promise<Result<T>> {
    const refusal = this.refusal();
    if (refusal) return { ok: false, error: refusal };
    const turn = this.#mutex.isHeld ? null : await this.#mutex.acquire(signal);
    if (turn?.kind !== 'acquired') return { ok: true, value: nothing };
    const answered = this.#askNow(question, nothing).finally(turn.release);
    return { ok: true, value: await this.#inTime(answered, nothing, signal) };
  }

  /** Interrupts the cell that runs now, or the question that keeps one from running. */
  interrupt(): void {
    if (this.#state.kind === 'live') this.#state.running?.stop('interrupted');
    this.#question?.hurry();
  }

  /** A new interpreter in a new sandbox; the cell that runs and those that wait are sent away. */
  restart(signal?: AbortSignal): Promise<EngineProblem | null> {
    if (this.#state.kind === 'closed' || this.#isStarting()) return Promise.resolve(this.refusal());
    this.#mutex.rejectWaiting();
    this.#leave({ kind: 'starting' });
    return this.start(signal);
  }

  /** Ends it for good; `reason` as in `it was closed`. */
  close(reason: string): void {
    this.#leave({ kind: 'closed', reason });
    this.#mutex.rejectWaiting();
  }

  async #begin(signal?: AbortSignal): Promise<EngineProblem | null> {
    const grant = await this.#deps.lease(signal);
    if (this.#isStarting()) return this.#take(grant);
    if (grant.kind === 'granted') grant.lease.release('destroy');
    return this.refusal();
  }

  #take(grant: Grant): EngineProblem | null {
    if (grant.kind !== 'granted') {
      this.#become({ kind: 'ended', reason: 'it could not start' });
      return refusalOf(grant);
    }
    const { lease } = grant;
    this.#cells = 0;
    const interpreter = this.#deps.language.open(lease.sandbox, { once: false });
    const life: Life = { kind: 'live', lease, interpreter, running: null, left: null };
    void interpreter.ended?.then((end) => this.#onLeft(life, end));
    void lease.sandbox.lost.then((loss) => this.#end(life, reasonOf(loss)));
    this.#become(life);
    return null;
  }

  async #runIn(life: Life, cell: SessionCell, terms: RunTerms): Promise<CellAnswer> {
    const { clock } = this.#deps;
    const { interpreter, lease } = life;
    this.#cells += 1;
    const terminator = interruptingTerminator(clock, interpreter, lease.sandbox);
    const request = { ...cell, name: `<cell ${this.#cells}>`, state: null };
    this.#occupy(life, terminator);
    const executed = await execute({ ...terms, clock, interpreter, terminator, cell: request });
    this.#occupy(life, null);
    this.#runs += 1;
    if (!executed.end.alive) this.#end(life, reasonOfEnd(executed));
    else if (life.left) this.#onLeft(life, life.left);
    return { kind: 'ran', executed, loss: this.#state === life ? null : this.#lossOf() };
  }

  async #turnOf(signal: AbortSignal | undefined): Promise<Acquisition | { readonly kind: 'stuck' }> {
    const question = this.#question;
    if (!question) return this.#mutex.acquire(signal);
    question.hurry();
    const turn = await this.#mutex.acquire(AbortSignal.any(signal ? [signal, question.stuck] : [question.stuck]));
    return turn.kind === 'aborted' && !signal?.aborted ? { kind: 'stuck' } : turn;
  }

  async #askNow<T>(question: Question<T>, nothing: T): Promise<T> {
    const life = this.#state;
    if (life.kind !== 'live') return nothing;
    const pending = new PendingQuestion(this.#deps.clock, () => life.interpreter.interrupt());
    this.#question = pending;
    try {
      return await question(life.interpreter);
    } catch {
      // A question may fail.
      return nothing;
    } finally {
      pending.dispose();
      this.#question = null;
    }
  }

  /** The answer, or `nothing` when nobody waits for it any more. */
  async #inTime<T>(answered: Promise<T>, nothing: T, signal?: AbortSignal): Promise<T> {
    const givenUp = deferred<T>();
    const giveUp = () => givenUp.resolve(nothing);
    const timer = this.#deps.clock.schedule(QUESTION_MS, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    const answer = await Promise.race([answered, givenUp.promise]);
    timer.dispose();
    signal?.removeEventListener('abort', giveUp);
    return answer;
  }

  #occupy(life: Life, terminator: Terminator | null): void {
    life.running = terminator;
    this.#lastUsedAt = Date.now();
    this.#deps.onChange();
  }

  /** An interpreter left: between cells that is the session's end, during one the cell's end tells more. */
  #onLeft(life: Life, end: CellEnd): void {
    if (life.running) life.left = end;
    // Of a sandbox that is lost its own loss tells more.
    else if (end.status !== 'sandbox_lost') this.#end(life, reasonOfLeaving(end));
  }

  #end(life: Life, reason: string): void {
    if (this.#state !== life) return;
    this.#deps.log.warn(`Session ${this.id} has ended: ${reason}.`);
    this.#leave({ kind: 'ended', reason });
  }

  /** Goes on to another state; a life that is left gives its sandbox back. */
  #leave(next: State): void {
    const before = this.#state;
    this.#become(next);
    if (before.kind !== 'live') return;
    // A life that ended by itself took its cell along; otherwise the cell ends because somebody wanted it.
    if (next.kind !== 'ended') before.running?.setReason('interrupted');
    before.lease.release('destroy');
  }

  #become(state: State): void {
    this.#state = state;
    this.#deps.onChange();
  }

  #lossOf(): string {
    const state = this.#state;
    if (state.kind === 'closed') return `Session ${this.id} was closed and its variables are lost: ${state.reason}.`;
    if (state.kind === 'ended') {
      return `Session ${this.id} has ended and its variables are lost: ${state.reason}. Restart it or open a new one.`;
    }
    return `Session ${this.id} was restarted and its variables are lost.`;
  }

  #isStarting(): boolean {
    return this.#state.kind === 'starting';
  }

  #noTurn(kind: 'aborted' | 'full' | 'rejected' | 'stuck'): EngineProblem {
    if (kind === 'aborted') return cancelled();
    if (kind === 'stuck') return stillAsked(this.id);
    if (kind === 'full') return overloaded(`Too many runs wait for session ${this.id} already.`);
    const message = `Session ${this.id} was restarted before this run began.`;
    return this.refusal() ?? invalidRequest(message, 'Run it again in the new interpreter.');
  }

  #shownState(): SessionState {
    const { kind } = this.#state;
    if (kind === 'live') return this.#state.running ? 'busy' : 'idle';
    return kind === 'starting' ? 'starting' : 'ended';
  }
}

function reasonOf({ outOfMemory, reason }: SandboxLoss): string {
  return outOfMemory ? 'it ran out of memory' : `its sandbox was lost (${reason})`;
}

function reasonOfLeaving({ status, exitCode, error }: CellEnd): string {
  if (status === 'out_of_memory') return 'it ran out of memory';
  if (exitCode !== null) return `its interpreter left with exit status ${exitCode}`;
  return error ? `its interpreter left (${error.message})` : 'its interpreter left';
}

function reasonOfEnd({ end, stopped, timeoutMs }: Executed): string {
  const status = statusOf(end, stopped);
  if (status === 'timeout')
    return `a run took longer than ${timeoutMs / 1000} s and did not stop when it was interrupted`;
  if (status === 'interrupted') return 'a run did not stop when it was interrupted';
  if (status === 'out_of_memory') return 'it ran out of memory';
  if (status === 'sandbox_lost') return 'its sandbox was lost';
  return 'its interpreter left';
}
