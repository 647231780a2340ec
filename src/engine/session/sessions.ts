import { randomBytes } from 'node:crypto';
import { endedSession, sessionLimit, unknownSession } from '../problems.ts';
import type { Result } from '../types.ts';
import { Session, type SessionDependencies } from './session.ts';

/** Ended sessions that stay listed; the oldest are closed first. */
const MAX_ENDED = 32;
/** Closed sessions whose reason is remembered. */
const MAX_REMEMBERED = 1_000;

/** The sessions of an engine. */
export class Sessions {
  readonly #open = new Map<string, Session>();
  readonly #closed = new Map<string, string>();

  all(): readonly Session[] {
    return [...this.#open.values()];
  }

  /** A new session that has not started yet, unless `max` are live; `prefix` begins its id. */
  add(prefix: string, max: number, deps: Omit<SessionDependencies, 'id'>): Result<Session> {
    if (!this.hasRoom(max)) return { ok: false, error: sessionLimit(max) };
    const session = new Session({ ...deps, id: newSessionId(prefix) });
    this.#open.set(session.id, session);
    this.#trim();
    return { ok: true, value: session };
  }

  hasRoom(max: number): boolean {
    return this.all().filter(({ isLive }) => isLive).length < max;
  }

  /** The session of that id, or why there is none. */
  find(id: string): Result<Session> {
    const session = this.#open.get(id);
    if (session) return { ok: true, value: session };
    const reason = this.#closed.get(id);
    return { ok: false, error: reason ? endedSession(id, reason, false) : unknownSession(id, [...this.#open.keys()]) };
  }

  /** Ends a session and removes it from the list; `reason` as in `it was closed`. */
  close(session: Session, reason: string): void {
    this.#open.delete(session.id);
    this.#closed.set(session.id, reason);
    const [oldest] = this.#closed.keys();
    if (oldest !== undefined && this.#closed.size > MAX_REMEMBERED) this.#closed.delete(oldest);
    session.close(reason);
  }

  closeAll(reason: string): void {
    for (const session of this.all()) this.close(session, reason);
  }

  #trim(): void {
    const ended = this.all().filter(({ isLive }) => !isLive);
    for (const session of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      this.close(session, 'it had ended before and was not restarted');
    }
  }
}

/** A new session's id, short enough to read and type: `py-3f9a2c81`. */
function newSessionId(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}
