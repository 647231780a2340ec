import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { CellEnd, Interpreter, Language } from '../../languages/language.ts';
import type { Grant, Lease } from '../../pool/lease.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { Workspace } from '../files/workspace.ts';
import { endedSession, refusalOf } from '../problems.ts';
import type { Executed } from '../run/execute.ts';
import type { Stoppable } from '../run/terminator.ts';
import type { EngineProblem } from '../types.ts';
import type { SessionKeeping } from './keeping.ts';
import { reasonOfCell, reasonOfExit, reasonOfLoss } from './messages.ts';
import type { SessionMemory } from './sessionMemory.ts';

/** An interpreter and its lease. */
export interface LiveInterpreter {
  readonly kind: 'live';
  readonly lease: Lease;
  interpreter: Interpreter;
  readonly workspace: Workspace;
  /** Another engine can resume it. */
  readonly isKept: boolean;
  /** Cells that it has run. */
  cells: number;
  /** What stops the running cell. */
  running: Stoppable | null;
  /** How the interpreter ended, when it did so during a cell. */
  exit: CellEnd | null;
}

/** Where a session is between its start and its close; `reason` as in `it ran out of memory`. */
export type LifecycleState =
  | { readonly kind: 'starting' }
  | LiveInterpreter
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'closed'; readonly reason: string };

/** What a lifecycle works with. */
export interface LifecycleDependencies {
  readonly id: string;
  readonly language: Language;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: (signal?: AbortSignal) => Promise<Grant>;
  readonly memory: SessionMemory;
  readonly onChange: () => void;
  /** Missing where no other engine can resume the session. */
  readonly keeping?: SessionKeeping;
}

/** The interpreter of a session: at most one at a time, from its lease to its end. */
export class Lifecycle {
  readonly #deps: LifecycleDependencies;
  #state: LifecycleState = { kind: 'starting' };

  constructor(deps: LifecycleDependencies) {
    this.#deps = deps;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  get live(): LiveInterpreter | null {
    return this.#state.kind === 'live' ? this.#state : null;
  }

  get isStarting(): boolean {
    return this.#state.kind === 'starting';
  }

  /** Why it takes no cells, or null when it does. */
  get refusal(): EngineProblem | null {
    return refusalIn(this.#state, this.#deps.id);
  }

  /** Leases a sandbox and opens the interpreter, unless it is no longer `starting`. */
  async start(signal?: AbortSignal): Promise<EngineProblem | null> {
    if (!this.isStarting) return this.refusal;
    const grant = await this.#deps.lease(signal);
    const isKept = grant.kind === 'granted' && (await this.#equip(grant.lease.sandbox));
    if (this.isStarting) return this.#open(grant, isKept);
    if (grant.kind === 'granted') grant.lease.release('destroy');
    return this.refusal;
  }

  /** Continues with an interpreter that another engine had. */
  resume(lease: Lease, interpreter: Interpreter, cells: number, mark: string): LiveInterpreter {
    return this.#use(lease, interpreter, new Workspace(lease.sandbox, this.#deps.clock, mark), true, cells);
  }

  /** Leaves a session that another engine can resume, which then counts as closed here. */
  async detach(): Promise<void> {
    const { live } = this;
    if (live?.isKept) await live.lease.sandbox.retention?.detach();
  }

  /** Ends a start that did not get its turn. */
  cancelStart(): void {
    if (this.isStarting) this.#setState({ kind: 'ended', reason: 'its start was cancelled' });
  }

  /** Ends the interpreter; `start` leases another. */
  restart(): void {
    this.#transition({ kind: 'starting' });
  }

  /** Ends it for good; `reason` as in `it was closed`. */
  close(reason: string): void {
    this.#transition({ kind: 'closed', reason });
  }

  /** A copy of the interpreter takes its place; the caller ends the one before. */
  adopt(live: LiveInterpreter, interpreter: Interpreter): void {
    live.interpreter = interpreter;
    live.exit = null;
    this.#watch(live);
  }

  /**
   * Handles the end of a cell; null where it ran elsewhere. Returns what the session lost with it, or null while the
   * interpreter lives.
   */
  afterCell(live: LiveInterpreter, executed: Executed | null): string | null {
    if (executed && !executed.end.alive) this.#end(live, reasonOfCell(executed));
    else if (live.exit) this.#onExit(live, live.exit);
    return this.#state === live ? null : lossOf(this.#state, this.#deps.id);
  }

  /** Gives a new sandbox what a session has; resolves with whether another engine can resume it. */
  async #equip(sandbox: Sandbox): Promise<boolean> {
    const { keeping, memory } = this.#deps;
    const [isKept = false] = await Promise.all([keeping?.keep(sandbox), memory.give(sandbox)]);
    return isKept;
  }

  #open(grant: Grant, isKept: boolean): EngineProblem | null {
    if (grant.kind !== 'granted') {
      this.#setState({ kind: 'ended', reason: 'it could not start' });
      return refusalOf(grant);
    }
    const { lease } = grant;
    const interpreter = this.#deps.language.open(lease.sandbox, { once: false });
    this.#use(lease, interpreter, new Workspace(lease.sandbox, this.#deps.clock), isKept, 0);
    return null;
  }

  #use(lease: Lease, interpreter: Interpreter, workspace: Workspace, isKept: boolean, cells: number): LiveInterpreter {
    const live: LiveInterpreter = {
      kind: 'live',
      lease,
      interpreter,
      workspace,
      isKept,
      cells,
      running: null,
      exit: null,
    };
    this.#watch(live);
    void lease.sandbox.lost.then((loss) => {
      if (loss.isElsewhere) this.#leave(live, loss.reason);
      else this.#end(live, reasonOfLoss(loss));
    });
    this.#setState(live);
    return live;
  }

  #watch(live: LiveInterpreter): void {
    const { interpreter } = live;
    void interpreter.ended?.then((end) => {
      if (live.interpreter === interpreter) this.#onExit(live, end);
    });
  }

  /** Between cells an exit ends the session; during a cell the end of the cell has a more precise reason. */
  #onExit(live: LiveInterpreter, end: CellEnd): void {
    if (live.running) live.exit = end;
    // The loss of a sandbox has a more precise reason.
    else if (end.status !== 'sandbox_lost') this.#end(live, reasonOfExit(end));
  }

  #end(live: LiveInterpreter, reason: string): void {
    if (this.#state !== live) return;
    this.#deps.log.warn(`Session ${this.#deps.id} has ended: ${reason}.`);
    this.#transition({ kind: 'ended', reason });
  }

  /** Another engine has the session now, and its record. */
  #leave(live: LiveInterpreter, reason: string): void {
    if (this.#state !== live) return;
    this.#setState({ kind: 'closed', reason });
    live.lease.release('destroy');
  }

  /** Changes the state and releases the sandbox of an interpreter that was live. */
  #transition(next: LifecycleState): void {
    const before = this.#state;
    this.#setState(next);
    const isOver = next.kind === 'ended' || next.kind === 'closed';
    if (isOver && before.kind !== 'ended' && before.kind !== 'closed') void this.#deps.keeping?.forget();
    if (before.kind !== 'live') return;
    // An interpreter that ended by itself has ended its cell; otherwise the caller interrupts the cell.
    if (next.kind !== 'ended') before.running?.setReason('interrupted');
    before.lease.release('destroy');
  }

  #setState(state: LifecycleState): void {
    this.#state = state;
    this.#deps.onChange();
  }
}

function refusalIn(state: LifecycleState, id: string): EngineProblem | null {
  if (state.kind === 'ended') return endedSession(id, state.reason, true);
  return state.kind === 'closed' ? endedSession(id, state.reason, false) : null;
}

/** What a session lost with its interpreter, as a sentence for the cell's error; `state` is the one after it. */
function lossOf(state: LifecycleState, id: string): string {
  if (state.kind === 'closed') return `Session ${id} was closed and its variables are lost: ${state.reason}.`;
  if (state.kind === 'ended') {
    return `Session ${id} has ended and its variables are lost: ${state.reason}. Restart it or open a new one.`;
  }
  return `Session ${id} was restarted and its variables are lost.`;
}
