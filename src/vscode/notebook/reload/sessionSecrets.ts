import type { SecretStorage } from 'vscode';
import type { Owner, SessionRecord, SessionStore } from '../../../engine/types.ts';

const PREFIX = 'hothouse.session.';

/** Keeps the records of notebooks' sessions in VS Code's secret storage, for the window after a reload. */
export class SessionSecrets implements SessionStore {
  readonly #secrets: SecretStorage;
  #isLeaving = false;

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  /** Sessions of agents end with the window, in which their MCP server runs. */
  accepts({ kind }: Owner): boolean {
    return kind === 'notebook';
  }

  async save(record: SessionRecord): Promise<void> {
    await this.#secrets.store(PREFIX + record.sessionId, JSON.stringify(record));
  }

  async remove(sessionId: string): Promise<void> {
    if (!this.#isLeaving) await this.#secrets.delete(PREFIX + sessionId);
  }

  /** The record of a session; null when there is none, or another version of Hothouse has written it. */
  async find(sessionId: string): Promise<SessionRecord | null> {
    const text = await this.#secrets.get(PREFIX + sessionId);
    if (text === undefined) return null;
    // Loaded late, since activation must not wait for it.
    const { SessionRecord } = await import('../../../engine/session/sessionRecord.ts');
    return SessionRecord.safeParse(jsonOf(text)).data ?? null;
  }

  /** The window closes or reloads: from now on every record stays. */
  leave(): void {
    this.#isLeaving = true;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
