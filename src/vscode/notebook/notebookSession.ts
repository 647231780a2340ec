import { messageOf } from '../../base/log.ts';
import type {
  ContinuedRun,
  OnInput,
  Owner,
  Result,
  RunOutput,
  RunResult,
  SessionInfo,
  SessionRecord,
} from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';

/** The open session, and why the previous one ended; `lost` is null when there was none or the user knows. */
export type Opened =
  | { readonly ok: true; readonly id: string; readonly lost: string | null }
  | Extract<Result<never>, { ok: false }>;

/** The end reason of a session that a person or an agent closed. */
export const CLOSED = 'it was closed';

/** A cell to run; `name` identifies the cell across runs. */
export interface CellToRun {
  readonly name: string;
  readonly code: string;
}

/**
 * Called before each cell, which waits for it, and when a session continues in this window; `isNew` before the first cell
 * of a new interpreter.
 */
export type PrepareSession = (
  session: { readonly id: string; readonly owner: Owner; readonly isNew: boolean },
  signal: AbortSignal,
) => Promise<void>;

/** What a cell does while it runs. */
export interface CellEvents {
  readonly onOutput: (output: RunOutput) => void;
  readonly onInput: OnInput;
}

/** A session that an earlier window has left. */
export interface LeftSession {
  readonly record: SessionRecord;
  /** The execution order of its latest run. */
  readonly order: number;
  /** As of `Engine.resumeSession`. */
  readonly onRun: (run: ContinuedRun) => CellEvents;
}

/** The session of one notebook: opened by its first cell, restarted by the next cell after it has ended. */
export class NotebookSession {
  readonly language: string;
  /** Completions, hovers and definitions wait here for their turn. */
  readonly questions = new QuestionQueue();
  readonly #handle: EngineHandle;
  readonly #owner: Owner;
  readonly #prepare: PrepareSession;
  /** The environment of the next new session; undefined for the language's own. */
  readonly #environment: () => string | undefined;
  /** Id of the latest session, open or closed. */
  #id: string | undefined;
  #runs = 0;
  /** A cell has shown that the session is lost. */
  #lossSeen = false;
  /** The session is new, and has not been prepared for its first cell. */
  #isNew = false;
  /** Why the session was lost, kept while a cell opens the next one. */
  #lost: string | null = null;
  /** Settles when a session of an earlier window is there or gone. */
  #resuming: Promise<unknown> = Promise.resolve();

  constructor(
    handle: EngineHandle,
    language: string,
    owner: Owner,
    prepare: PrepareSession = async () => {},
    environment: () => string | undefined = () => undefined,
  ) {
    this.#environment = environment;
    this.#handle = handle;
    this.language = language;
    this.#owner = owner;
    this.#prepare = prepare;
  }

  /** The session in the engine's snapshot; undefined before the first cell and after a close. */
  get info(): SessionInfo | undefined {
    return this.#handle.snapshot().sessions.find(({ id }) => id === this.#id);
  }

  /** Opens the session or restarts an ended one; returns the open one otherwise. It is prepared for a cell. */
  async open(signal: AbortSignal): Promise<Opened> {
    await this.#resuming;
    const opened = await this.#open(signal);
    if (opened.ok) {
      const isNew = this.#isNew;
      this.#isNew = false;
      await this.#prepare({ id: opened.id, owner: this.#owner, isNew }, signal);
    }
    return opened;
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const known = this.info;
    if (known && known.state !== 'ended') return { ok: true, id: known.id, lost: null };
    this.#lost = this.loss;
    const engine = await this.#handle.get();
    const opened = known
      ? await engine.restartSession(known.id)
      : await engine.openSession(this.language, this.#owner, signal, this.#environment());
    if (!opened.ok) return opened;
    const lost = this.#lost;
    this.#setSession(opened.value);
    return { ok: true, id: opened.value.id, lost };
  }

  /** Why the session is lost; null while it is open, before the first one, and once a cell has shown the loss. */
  get loss(): string | null {
    if (this.#lossSeen) return null;
    if (this.#id === undefined) return this.#lost;
    const { info } = this;
    return this.#lost ?? (info ? info.endReason : CLOSED);
  }

  /** The execution order of the latest run. */
  get order(): number {
    return this.#runs;
  }

  /** The execution order of the next run. */
  nextOrder(): number {
    this.#runs += 1;
    return this.#runs;
  }

  /**
   * Continues the session that an earlier window has left, with the cell that still runs; `open` waits for it. Returns
   * the end of that cell, or null when none runs or the session is gone; the next cell then says so.
   */
  async resume({ record, order, onRun }: LeftSession): Promise<RunResult | null> {
    const resuming = this.#resume(record, order, onRun).catch((error) => this.#gone(messageOf(error)));
    this.#resuming = resuming;
    const resumed = await resuming;
    return resumed?.result ?? null;
  }

  async #resume(record: SessionRecord, order: number, onRun: LeftSession['onRun']) {
    this.#runs = order;
    const engine = await this.#handle.get();
    const resumed = await engine.resumeSession(record, onRun);
    if (!resumed.ok) return this.#gone(resumed.error.message);
    this.#setSession(resumed.value.info);
    this.#isNew = false;
    this.#runs = order;
    // The cell that was left running sees what is prepared for it, too.
    const session = { id: resumed.value.info.id, owner: this.#owner, isNew: false };
    this.#prepare(session, new AbortController().signal).catch(() => {});
    return resumed.value;
  }

  #gone(reason: string): null {
    this.#lost = `it could not be continued in this window: ${reason.replace(/\.$/, '')}`;
    return null;
  }

  /** Runs a cell without a time limit. Where the language keeps cells at positions, it replaces the cell of that name. */
  async run(
    sessionId: string,
    { name, code }: CellToRun,
    { onOutput, onInput }: CellEvents,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const engine = await this.#handle.get();
    const { language } = this;
    const request = { language, code, owner: this.#owner, sessionId, timeoutSeconds: 0, cell: name, onInput };
    const result = await engine.run(request, onOutput, signal);
    if (result.sessionLost) this.#lossSeen = true;
    return result;
  }

  /** Interrupts the session, also when it runs an agent's code. */
  async interrupt(): Promise<void> {
    const { info } = this;
    if (info) await this.#handle.current?.interruptSession(info.id);
  }

  /** Restarts the session with a new interpreter; null without a session. */
  async restart(): Promise<Result<SessionInfo> | null> {
    const { info } = this;
    if (!info) return null;
    const engine = await this.#handle.get();
    const restarted = await engine.restartSession(info.id);
    if (restarted.ok) this.#setSession(restarted.value);
    return restarted;
  }

  /** Closes the session, if there is one. */
  async close(): Promise<void> {
    const { info } = this;
    this.#id = undefined;
    if (info) await this.#handle.current?.closeSession(info.id);
  }

  #setSession({ id }: SessionInfo): void {
    this.#id = id;
    this.#runs = 0;
    this.#lossSeen = false;
    this.#lost = null;
    this.#isNew = true;
  }
}

/** Asks a session one question at a time, because the engine rejects a second one. */
export class QuestionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Asks when all earlier questions are answered; undefined when `signal` has aborted by then. */
  ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const answer = this.#last.then(() => (signal.aborted ? undefined : question()));
    this.#last = answer.catch(() => {});
    return answer;
  }
}
