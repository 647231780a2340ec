import { Emitter, type Event } from '../../base/event.ts';

/** Hosts of one container that are remembered. */
const MAX_ENTRIES = 100;
const LINE = /^(\d{10,11})\.\d+ (\S+) (\d{3}) (\S+) (\S{1,255}) (\d{1,5}) (host|port|address|request|-)$/;

/** Why a proxy has denied a request: the rule. */
export type DenialReason = 'host' | 'port' | 'address' | 'request';

/** What a proxy has decided about requests for one host and port. */
export interface Decision {
  /** As the code wrote it, in ASCII without spaces. */
  readonly host: string;
  readonly port: number;
  /** null: the requests were allowed. */
  readonly denied: DenialReason | null;
  /** Requests so far. */
  readonly count: number;
  /** When the last one ended, in milliseconds since the epoch. */
  readonly lastAt: number;
}

/** The decisions of one container's proxy, at most 100 hosts of them: those that were asked for last. */
export class DecisionLog {
  readonly #changed = new Emitter<void>();
  /** The latest last. */
  readonly #entries = new Map<string, Decision>();
  readonly onDidChange: Event<void> = this.#changed.event;

  /** The latest first. */
  entries(): readonly Decision[] {
    return [...this.#entries.values()].reverse();
  }

  /** Adds a line of the proxy, in the format of `images/proxy/squid.conf`; others are ignored. */
  addLine(line: string): void {
    const [, seconds, kind, , method, host, port, reason] = LINE.exec(line) ?? [];
    if (kind === undefined || host === undefined || host === '-' || method === '-') return;
    const denied = reason === '-' ? null : (reason as DenialReason);
    const key = `${denied} ${port} ${host}`;
    const count = (this.#entries.get(key)?.count ?? 0) + 1;
    this.#entries.delete(key);
    this.#entries.set(key, { host, port: Number(port), denied, count, lastAt: Number(seconds) * 1000 });
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > MAX_ENTRIES) this.#entries.delete(oldest);
    this.#changed.fire();
  }
}
