import type { Engine, Result } from '../../../engine/types.ts';
import { installForProfile, isOpenSession } from '../clientSession.ts';
import type { ProfileCall } from '../profile.ts';

/** A session with packages, by a name that says when it was started. */
interface Executer {
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly session: string;
  readonly isStopped: boolean;
}

/** The executers of one client. Code runs in the one that was started last, unless that is stopped. */
export class Executers {
  readonly #engine: Engine;
  readonly #executers = new Map<string, Executer>();
  #current: string | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The id of the session that code runs in; null when none is started. */
  get session(): string | null {
    const current = this.#executers.get(this.#current ?? '');
    return current && !current.isStopped && this.#isOpen(current) ? current.session : null;
  }

  /** Opens a session with these packages; returns its name. */
  async start(dependencies: readonly string[], call: ProfileCall): Promise<Result<string>> {
    const name = this.#freeName();
    const session = await this.#open(dependencies, call);
    if (!session.ok) return session;
    this.#set({ name, dependencies, session: session.value, isStopped: false });
    this.#current = name;
    return { ok: true, value: name };
  }

  /** Stops the executer with that name, and ends its session when `isDeleted`; false when it does not run. */
  async stop(name: string, isDeleted: boolean): Promise<boolean> {
    const executer = this.#executers.get(name);
    if (!executer) return false;
    if (isDeleted) {
      this.#executers.delete(name);
      await this.#engine.closeSession(executer.session);
    } else this.#set({ ...executer, isStopped: true });
    return isDeleted || !executer.isStopped;
  }

  /** Makes the executer with that name the current one, with its variables unless its session has ended; null: unknown. */
  async reuse(name: string, call: ProfileCall): Promise<Result<string> | null> {
    const executer = this.#executers.get(name);
    if (!executer) return null;
    const isOpen = this.#isOpen(executer);
    const session = isOpen
      ? { ok: true as const, value: executer.session }
      : await this.#open(executer.dependencies, call);
    if (!session.ok) return session;
    this.#set({ ...executer, session: session.value, isStopped: false });
    this.#current = name;
    return { ok: true, value: name };
  }

  async #open(dependencies: readonly string[], call: ProfileCall): Promise<Result<string>> {
    const opened = await this.#engine.openSession('python', call.owner, call.signal);
    if (!opened.ok) return opened;
    const sessionId = opened.value.id;
    if (dependencies.length === 0) return { ok: true, value: sessionId };
    const installed = await installForProfile(this.#engine, sessionId, dependencies, call);
    if (installed.ok) return { ok: true, value: sessionId };
    await this.#engine.closeSession(sessionId);
    return installed;
  }

  #isOpen({ session }: Executer): boolean {
    return isOpenSession(this.#engine, session);
  }

  #set(executer: Executer): void {
    this.#executers.set(executer.name, executer);
  }

  /** As the older server names them: by the second, in UTC. */
  #freeName(): string {
    const base = `code_executer-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
    let name = base;
    for (let count = 2; this.#executers.has(name); count += 1) name = `${base}-${count}`;
    return name;
  }
}
