import type { Decision, DecisionLog } from '../../host/proxy/decisions.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Entries that are shown, and sandboxes that are remembered. */
const MAX_ENTRIES = 200;
const MAX_SOURCES = 300;

/** What a proxy has decided about one host, and for whom. */
export interface NetworkDecision extends Decision {
  /** Id of the environment whose sandbox, or whose installer, has asked. */
  readonly environment: string;
  readonly sandboxId: string;
  /** The session that had the sandbox; null for a run without one, and for an installation. */
  readonly sessionId: string | null;
}

interface Source {
  readonly log: DecisionLog;
  readonly environment: string;
  readonly sandboxId: string;
  sessionId: string | null;
}

/** The decisions of the proxies of all sandboxes, also of those that have ended lately. */
export class NetworkLog {
  readonly #sources: Source[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Follows the proxy of a sandbox of an environment, where it has one. */
  add(environment: string, { id, decisions }: Pick<Sandbox, 'id' | 'decisions'>): void {
    if (!decisions) return;
    this.#sources.push({ log: decisions, environment, sandboxId: id, sessionId: null });
    if (this.#sources.length > MAX_SOURCES) this.#sources.shift();
    decisions.onDidChange(this.#onChange);
  }

  /** The latest first. `sessionOf` returns the session that has a sandbox now. */
  entries(sessionOf: (sandboxId: string) => string | null): readonly NetworkDecision[] {
    const all = this.#sources.flatMap((source) => {
      source.sessionId ??= sessionOf(source.sandboxId);
      const { log, environment, sandboxId, sessionId } = source;
      return log.entries().map((decision): NetworkDecision => ({ ...decision, environment, sandboxId, sessionId }));
    });
    return all.sort((one, other) => other.lastAt - one.lastAt).slice(0, MAX_ENTRIES);
  }
}
