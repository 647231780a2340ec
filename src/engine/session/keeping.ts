import { createHash, randomBytes } from 'node:crypto';
import { type Log, messageOf } from '../../base/log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { SessionRecord, SessionStore } from './sessionRecord.ts';

const SECRET_BYTES = 32;

/** What makes a session one that another engine can resume. */
export interface KeepingDependencies {
  readonly store: SessionStore;
  readonly log: Log;
  /** The owner label of this process. */
  readonly owner: string;
  /** `sessions.keepSeconds`, at the time of the call. */
  readonly seconds: () => number;
  /** Whether its sandboxes end with this process: then the record says so later, and there is nothing to resume. */
  readonly endsWithProcess: () => boolean;
  /** The record of the session without what each of its sandboxes has. */
  readonly session: Omit<SessionRecord, 'sandboxId' | 'secret'>;
}

/** Keeps the record of one session in its store. Never rejects: what fails is logged, and the session works on. */
export class SessionKeeping {
  readonly #deps: KeepingDependencies;

  constructor(deps: KeepingDependencies) {
    this.#deps = deps;
  }

  /** Makes a new sandbox of the session resumable; false where that failed. */
  async keep(sandbox: Sandbox): Promise<boolean> {
    const { store, session, owner, seconds } = this.#deps;
    const { retention } = sandbox;
    if (!retention) return false;
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    const secretHash = createHash('sha256').update(secret).digest('hex');
    const retain = { secretHash, silenceMs: seconds() * 1000 };
    const endsWithProcess = this.#deps.endsWithProcess();
    const isDone = await this.#done('could not be made resumable', async () => {
      if (!endsWithProcess) await Promise.all([retention.start(retain), retention.spare(owner, seconds())]);
      await store.save({ ...session, sandboxId: sandbox.id, secret });
    });
    return isDone && !endsWithProcess;
  }

  /** Makes this process the owner of a sandbox that it has resumed. */
  async takeOver({ retention }: Sandbox): Promise<void> {
    const { owner, seconds } = this.#deps;
    await this.#done('could not be marked as resumed', async () => retention?.spare(owner, seconds()));
  }

  /** Forgets the session, which has ended. */
  async forget(): Promise<void> {
    const { store, session } = this.#deps;
    await this.#done('could not be forgotten', () => store.remove(session.sessionId));
  }

  async #done(failure: string, work: () => Promise<unknown>): Promise<boolean> {
    const { log, session } = this.#deps;
    try {
      await work();
      return true;
    } catch (error) {
      log.warn(`Session ${session.sessionId} ${failure}: ${messageOf(error)}`);
      return false;
    }
  }
}
