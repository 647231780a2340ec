import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Environment } from '../environment/environment.ts';
import { alreadyOpen, endedSession, notResumed, sessionLimit, unknownSession } from '../problems.ts';
import type { Owner, Result, SessionInfo } from '../types.ts';
import { CellLogs, type KeptCell, type SessionCells } from './cellLogs.ts';
import { type KeepingDependencies, SessionKeeping } from './keeping.ts';
import type { Question } from './questions.ts';
import { type ContinuedCell, type Resumption, Session } from './session.ts';
import { SessionMemory } from './sessionMemory.ts';
import { SessionNote } from './sessionNote.ts';
import type { SessionRecord } from './sessionRecord.ts';
import { ANYONE, isVisible, type Viewer } from './viewer.ts';

/** Ended sessions that stay listed; the oldest are closed first. */
const MAX_ENDED = 32;
/** Closed sessions whose reason is remembered. */
const MAX_REMEMBERED = 1_000;

/** A closed session; `reason` as in `it was closed`. */
type ClosedSession = Pick<Session, 'owner' | 'isShared'> & { readonly reason: string };

/** What the sessions of an engine share. */
export interface SessionsDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: () => void;
  /** Missing where no other engine can resume sessions. */
  readonly keep?: Pick<KeepingDependencies, 'store' | 'owner' | 'seconds'>;
}

/** The sessions of an engine. */
export class Sessions {
  readonly #deps: SessionsDependencies;
  readonly #open = new Map<string, Session>();
  readonly #closed = new Map<string, ClosedSession>();
  /** null while no one can read them. */
  #cells: CellLogs | null = null;
  /** Ids of those that are being resumed. */
  readonly #resuming = new Set<string>();

  constructor(deps: SessionsDependencies) {
    this.#deps = deps;
  }

  all(): readonly Session[] {
    return [...this.#open.values()];
  }

  /** Opens a session with a sandbox of the environment, unless `max` are live. */
  async open(environment: Environment, owner: Owner, max: number, signal?: AbortSignal): Promise<Result<SessionInfo>> {
    if (!this.#hasRoom(max)) return { ok: false, error: sessionLimit(max) };
    const session = this.#add(environment, { owner });
    const problem = await session.start(signal);
    if (!problem) return { ok: true, value: session.info() };
    this.#close(session, 'it could not start');
    return { ok: false, error: problem };
  }

  /** Continues a session that another engine has left, unless it is open here or `max` are live. */
  async resume(
    environment: Environment,
    record: SessionRecord,
    onRun: Resumption['onRun'],
    max: number,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly session: Session; readonly cell: ContinuedCell | null }>> {
    const { sessionId } = record;
    if (!this.#hasRoom(max)) return { ok: false, error: sessionLimit(max) };
    if (this.#open.has(sessionId) || this.#resuming.has(sessionId)) return { ok: false, error: alreadyOpen(sessionId) };
    this.#resuming.add(sessionId);
    try {
      const found = await environment.resume(record, signal);
      if (!found.ok) return found;
      const { lease, resumed, proceed } = found.value;
      const note = SessionNote.safeParse(resumed.note);
      if (!note.success) {
        lease.release('destroy');
        return { ok: false, error: notResumed(sessionId, 'another version of Hothouse has opened it') };
      }
      const session = this.#add(environment, record);
      const cell = session.resume({ lease, resumed, note: note.data, onRun });
      this.#cells?.begin(sessionId, session.info().runs + (cell ? 1 : 0));
      proceed();
      return { ok: true, value: { session, cell } };
    } finally {
      this.#resuming.delete(sessionId);
    }
  }

  /** Leaves the sessions that another engine can resume. */
  async detachAll(): Promise<void> {
    await Promise.all(this.all().map((session) => session.detach()));
  }

  /** Ends a session and its sandbox. */
  close(id: string): Result<SessionInfo> {
    return this.#with(id, (session) => {
      this.#close(session, 'it was closed');
      this.#deps.onChange();
    });
  }

  interrupt(id: string): Result<SessionInfo> {
    return this.#with(id, (session) => session.interrupt());
  }

  /** Gives a session a new interpreter; one that has ended counts toward `max` again. */
  async restart(id: string, max: number): Promise<Result<SessionInfo>> {
    const found = this.find(id);
    if (!found.ok) return found;
    const session = found.value;
    if (!session.isLive && !this.#hasRoom(max)) return { ok: false, error: sessionLimit(max) };
    const problem = await session.restart();
    return problem ? { ok: false, error: problem } : { ok: true, value: session.info() };
  }

  /** Asks the interpreter of a session a question; see `Session.ask`. */
  async ask<T>(id: string, question: Question<T>, nothing: T, signal?: AbortSignal): Promise<Result<T>> {
    const found = this.find(id);
    return found.ok ? found.value.ask(question, nothing, signal) : found;
  }

  /** The session of that id, or why there is none. For the viewer sessions that it does not see do not exist. */
  find(id: string, viewer: Viewer = ANYONE): Result<Session> {
    const session = this.#open.get(id);
    if (session && isVisible(session, viewer)) return { ok: true, value: session };
    const closed = this.#closed.get(id);
    if (closed && isVisible(closed, viewer)) return { ok: false, error: endedSession(id, closed.reason, false) };
    const others = this.all().flatMap((other) => (isVisible(other, viewer) ? [other.id] : []));
    return { ok: false, error: unknownSession(id, others) };
  }

  /** Makes a session visible to all agents, or to its owner and people alone again. */
  share(id: string, isShared: boolean): Result<SessionInfo> {
    return this.#with(id, (session) => {
      session.isShared = isShared;
      this.#deps.onChange();
    });
  }

  /** Whether the cells of sessions are kept. */
  get keepsCells(): boolean {
    return this.#cells !== null;
  }

  /** From now on keeps the cells that are given to `keepCell`. */
  keepCells(): void {
    if (this.#cells) return;
    this.#cells = new CellLogs();
    for (const session of this.all()) this.#cells.begin(session.id, session.info().runs);
  }

  /** Keeps a cell that a session has run, unless the session was closed with it. */
  keepCell(session: Session, cell: KeptCell): void {
    if (this.#open.get(session.id) === session) this.#cells?.add(session.id, cell);
  }

  /** The kept cells of a session. */
  cells(id: string): Result<SessionCells> {
    const found = this.find(id);
    if (!found.ok) return found;
    const kept = this.#cells?.of(id) ?? { cells: [], dropped: found.value.info().runs };
    return { ok: true, value: { language: found.value.language, ...kept } };
  }

  closeAll(reason: string): void {
    for (const session of this.all()) this.#close(session, reason);
  }

  #with(id: string, act: (session: Session) => void): Result<SessionInfo> {
    const found = this.find(id);
    if (!found.ok) return found;
    act(found.value);
    return { ok: true, value: found.value.info() };
  }

  /** A new session, or one with the record of another engine. */
  #add(environment: Environment, given: SessionRecord | { readonly owner: Owner }): Session {
    const { definition, language } = environment;
    const { owner } = given;
    const id = 'sessionId' in given ? given.sessionId : newSessionId(definition.sessionPrefix);
    const openedAt = 'openedAt' in given ? given.openedAt : Date.now();
    const session = new Session({
      ...this.#deps,
      id,
      owner,
      openedAt,
      environment: environment.id,
      languageId: definition.id,
      language,
      lease: (signal) => environment.lease(owner, 'session', { signal }),
      memory: new SessionMemory(environment, owner, this.#deps.log),
      ...this.#keeping(environment, { sessionId: id, owner, openedAt }),
    });
    this.#open.set(session.id, session);
    this.#trim();
    return session;
  }

  #keeping(environment: Environment, known: Pick<SessionRecord, 'sessionId' | 'owner' | 'openedAt'>) {
    const { keep, log } = this.#deps;
    const { id, definition, language } = environment;
    if (!keep || !language.resume || keep.store.accepts?.(known.owner) === false) return {};
    const session = { version: 1, ...known, language: definition.id, environment: id } as const;
    return {
      keeping: new SessionKeeping({ ...keep, log, session, endsWithProcess: () => environment.endsWithProcess }),
    };
  }

  /** Ends a session and removes it from the list; `reason` as in `it was closed`. */
  #close(session: Session, reason: string): void {
    this.#open.delete(session.id);
    this.#cells?.remove(session.id);
    const { owner, isShared } = session;
    this.#closed.set(session.id, { reason, owner, isShared });
    const [oldest] = this.#closed.keys();
    if (oldest !== undefined && this.#closed.size > MAX_REMEMBERED) this.#closed.delete(oldest);
    session.close(reason);
  }

  #hasRoom(max: number): boolean {
    return this.all().filter(({ isLive }) => isLive).length < max;
  }

  #trim(): void {
    const ended = this.all().filter(({ isLive }) => !isLive);
    for (const session of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      this.#close(session, 'it had ended before and was not restarted');
    }
  }
}

/** A new session's id, short enough to read and type: `py-3f9a2c81`. */
function newSessionId(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}
