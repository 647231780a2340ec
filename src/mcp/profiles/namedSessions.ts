import type { Engine, Owner, Result } from '../../engine/types.ts';
import { isOpenSession } from './clientSession.ts';

/** Sessions of one language by the names that a client gives them. A name is free again after `close`. */
export class NamedSessions {
  readonly #engine: Engine;
  readonly #language: string;
  readonly #ids = new Map<string, Promise<Result<string>>>();

  constructor(engine: Engine, language: string) {
    this.#engine = engine;
    this.#language = language;
  }

  /** The id of the session with that name. Opens a new one where there is none, or where it has ended. */
  async open(name: string, owner: Owner, signal: AbortSignal): Promise<Result<string>> {
    const known = this.#ids.get(name);
    if (known && (await this.#isOpen(known))) return known;
    // Another call may have opened it meanwhile.
    const latest = this.#ids.get(name);
    if (latest && latest !== known) return latest;
    const opening = this.#openNew(owner, signal);
    this.#ids.set(name, opening);
    const opened = await opening;
    if (!opened.ok && this.#ids.get(name) === opening) this.#ids.delete(name);
    return opened;
  }

  /** Ends the session with that name; false when there is none. */
  async close(name: string): Promise<boolean> {
    const known = this.#ids.get(name);
    this.#ids.delete(name);
    const session = await known;
    return session?.ok === true && (await this.#engine.closeSession(session.value)).ok;
  }

  async #openNew(owner: Owner, signal: AbortSignal): Promise<Result<string>> {
    const opened = await this.#engine.openSession(this.#language, owner, signal);
    return opened.ok ? { ok: true, value: opened.value.id } : opened;
  }

  async #isOpen(known: Promise<Result<string>>): Promise<boolean> {
    const session = await known;
    return session.ok && isOpenSession(this.#engine, session.value);
  }
}
