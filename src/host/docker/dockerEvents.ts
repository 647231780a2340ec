import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { type Log, messageOf } from '../../base/log.ts';
import { lineSplitter } from './lines.ts';

/** Something that happened to a container. */
export interface DockerEvent {
  readonly id: string;
  readonly action: 'die' | 'oom' | 'kill' | 'destroy';
  /** Status of the first process, with `die`. */
  readonly exitCode: number | null;
  /** Docker's time in nanoseconds since the epoch. */
  readonly at: bigint;
}

/** The actions that the stream contains. Podman reports no `oom`. */
export const EVENT_ACTIONS = ['die', 'oom', 'kill', 'destroy'] as const;
const PODMAN_DESTROY = 'remove';

/** Parses one line of Docker's stream; null for an event that is not needed. */
export function parseEvent(line: string): DockerEvent | null {
  // Times are beyond the precision of a number; the digits are taken as text.
  const at = /"timeNano":\s*(\d+)/.exec(line)?.[1];
  const { Action: name, Actor: actor }: RawEvent = JSON.parse(line);
  const action = EVENT_ACTIONS.find((known) => known === (name === PODMAN_DESTROY ? 'destroy' : name));
  if (!at || !action || !actor?.ID) return null;
  const exitCode = actor.Attributes?.exitCode;
  return { id: actor.ID, action, exitCode: exitCode === undefined ? null : Number(exitCode), at: BigInt(at) };
}

interface RawEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
}

const REOPEN_MS = 1_000;

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'opening'; readonly opened: Promise<void> }
  | { readonly kind: 'open'; readonly stream: Readable }
  | { readonly kind: 'waiting'; readonly timer: Disposable }
  | { readonly kind: 'disposed' };

/** Opens Docker's stream of events; `since` (seconds since the epoch) asks for the earlier ones from then on. */
export type OpenEvents = (since: number | null) => Promise<Readable>;

/** Docker's events about our containers: one stream, opened on demand and reopened when it breaks. */
export class DockerEvents implements Disposable {
  readonly #emitter = new Emitter<DockerEvent>();
  readonly #open: OpenEvents;
  readonly #clock: Clock;
  readonly #log: Log;
  #state: State = { kind: 'closed' };
  #last = 0n;
  /** Events up to this time were handled before the stream broke; Docker repeats some of them. */
  #taken = 0n;

  readonly event = this.#emitter.event;

  constructor(open: OpenEvents, clock: Clock, log: Log) {
    this.#open = open;
    this.#clock = clock;
    this.#log = log;
  }

  /** Resolves when the stream is open; rejects when it cannot be opened now. */
  async ensureOpen(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'open' || state.kind === 'disposed') return;
    if (state.kind === 'opening') return state.opened;
    if (state.kind === 'waiting') state.timer.dispose();
    const opened = this.#openStream();
    this.#state = { kind: 'opening', opened };
    return opened;
  }

  async #openStream(): Promise<void> {
    this.#taken = this.#last;
    try {
      const stream = await this.#open(this.#last === 0n ? null : Number(this.#last / 1_000_000_000n));
      this.#listen(stream);
    } catch (error) {
      this.#reopenLater(messageOf(error));
      throw error;
    }
  }

  #listen(stream: Readable): void {
    if (this.#state.kind === 'disposed') {
      stream.destroy();
      return;
    }
    this.#state = { kind: 'open', stream };
    stream.on(
      'data',
      lineSplitter((line) => this.#take(line)),
    );
    stream.on('error', (error) => this.#log.debug(`the stream of Docker events failed: ${error.message}`));
    stream.once('close', () => this.#reopenLater('it ended'));
  }

  #take(line: string): void {
    const event = parseEvent(line);
    if (!event || event.at <= this.#taken) return;
    // Events of different containers may come slightly out of order.
    if (event.at > this.#last) this.#last = event.at;
    this.#emitter.fire(event);
  }

  #reopenLater(why: string): void {
    if (this.#state.kind === 'disposed') return;
    this.#log.debug(`the stream of Docker events is opened again: ${why}`);
    const timer = this.#clock.schedule(REOPEN_MS, () => {
      this.ensureOpen().catch(() => {});
    });
    this.#state = { kind: 'waiting', timer };
  }

  dispose(): void {
    const state = this.#state;
    this.#state = { kind: 'disposed' };
    if (state.kind === 'open') state.stream.destroy();
    if (state.kind === 'waiting') state.timer.dispose();
    this.#emitter.dispose();
  }
}
