import type { LanguageId, Owner, Result, RunOutput, RunResult, SessionInfo } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';

/** What opening gave: the session, and why the one before has ended, unless that is known to the user or there was none. */
export type Opened =
  | { readonly ok: true; readonly id: string; readonly lost: string | null }
  | Extract<Result<never>, { ok: false }>;

/** Why a session has ended that a person or an agent closed. */
export const CLOSED = 'it was closed';

/** A cell to run; `name` is the same for the same cell in every run of it. */
export interface CellToRun {
  readonly name: string;
  readonly code: string;
}

/** The session of one notebook: opened at its first cell, started anew when it has ended. */
export class NotebookSession {
  readonly language: LanguageId;
  /** Completions, hovers and definitions wait here for their turn. */
  readonly questions = new QuestionQueue();
  readonly #handle: EngineHandle;
  readonly #owner: Owner;
  /** Of the latest session, closed or not. */
  #id: string | undefined;
  #runs = 0;
  /** The user has seen, by a cell's own output, that the session is lost. */
  #lossSeen = false;
  /** Why the session is lost, since a cell tried to replace it. */
  #lost: string | null = null;

  constructor(handle: EngineHandle, language: LanguageId, owner: Owner) {
    this.#handle = handle;
    this.language = language;
    this.#owner = owner;
  }

  /** The session as the engine shows it; undefined before the first cell and after it was closed. */
  get info(): SessionInfo | undefined {
    return this.#handle.snapshot().sessions.find(({ id }) => id === this.#id);
  }

  /** Opens the session, or starts it anew, unless it lives. */
  async open(signal: AbortSignal): Promise<Opened> {
    const known = this.info;
    if (known && known.state !== 'ended') return { ok: true, id: known.id, lost: null };
    this.#lost = this.loss;
    const engine = await this.#handle.get();
    const opened = known
      ? await engine.restartSession(known.id)
      : await engine.openSession(this.language, this.#owner, signal);
    if (!opened.ok) return opened;
    const lost = this.#lost;
    this.#begin(opened.value);
    return { ok: true, id: opened.value.id, lost };
  }

  /** Why the session is lost, as far as no cell has said so; null while it lives and before there is one. */
  get loss(): string | null {
    if (this.#lossSeen || this.#id === undefined) return null;
    const { info } = this;
    return this.#lost ?? (info ? info.endReason : CLOSED);
  }

  /** The number that the next run shows beside its cell. */
  nextOrder(): number {
    this.#runs += 1;
    return this.#runs;
  }

  /** Runs a cell without a time limit, in place of what it was before where the language knows places; it may be empty. */
  async run(
    sessionId: string,
    { name, code }: CellToRun,
    onOutput: (output: RunOutput) => void,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const engine = await this.#handle.get();
    const { language } = this;
    const request = { language, code, owner: this.#owner, sessionId, timeoutSeconds: 0, cell: name };
    const result = await engine.run(request, onOutput, signal);
    if (result.sessionLost) this.#lossSeen = true;
    return result;
  }

  /** Interrupts what the session runs, also for an agent that shares it. */
  async interrupt(): Promise<void> {
    const { info } = this;
    if (info) await this.#handle.current?.interruptSession(info.id);
  }

  /** A new interpreter for the same session; null when there is none. */
  async restart(): Promise<Result<SessionInfo> | null> {
    const { info } = this;
    if (!info) return null;
    const engine = await this.#handle.get();
    const restarted = await engine.restartSession(info.id);
    if (restarted.ok) this.#begin(restarted.value);
    return restarted;
  }

  /** Ends the session if there is one. */
  async close(): Promise<void> {
    const { info } = this;
    this.#id = undefined;
    if (info) await this.#handle.current?.closeSession(info.id);
  }

  #begin({ id }: SessionInfo): void {
    this.#id = id;
    this.#runs = 0;
    this.#lossSeen = false;
    this.#lost = null;
  }
}

/** Asks a session one question of the editor at a time: the engine refuses a second one while the first is open. */
export class QuestionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Asks after every earlier question has its answer; undefined when `signal` has aborted by then. */
  ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const answer = this.#last.then(() => (signal.aborted ? undefined : question()));
    this.#last = answer.catch(() => {});
    return answer;
  }
}
