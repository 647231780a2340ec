import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { CoalescingEmitter, type Event } from '../base/event.ts';
import type { Environment } from './environment/environment.ts';
import type { HostManager } from './environment/hostManager.ts';
import { MemoryPoll } from './memory.ts';
import type { Sessions } from './session/sessions.ts';
import type { NetworkInfo, Snapshot } from './types.ts';

/** What snapshots are taken of. */
export interface SnapshotSources {
  readonly hosts: HostManager;
  readonly environments: () => readonly Environment[];
  readonly sessions: Sessions;
  readonly network: () => Pick<NetworkInfo, 'policy' | 'allow'>;
  readonly clock: Clock;
}

/** Snapshots of an engine, and the event that they have changed. Looks up memory only while someone listens. */
export class Snapshots implements Disposable {
  readonly #sources: SnapshotSources;
  readonly #changed = new CoalescingEmitter();
  readonly #memory: MemoryPoll;
  #running = 0;
  #current: Snapshot | null = null;

  constructor(sources: SnapshotSources) {
    this.#sources = sources;
    this.#memory = new MemoryPoll(
      sources.clock,
      () => sources.environments().flatMap((environment) => environment.sandboxes()),
      () => this.invalidate(),
    );
  }

  readonly onDidChange: Event<void> = (listener) => {
    const subscription = this.#changed.event(listener);
    this.#memory.watch();
    return toDisposable(() => {
      subscription.dispose();
      this.#memory.unwatch();
    });
  };

  /** The state now; the same object until something changes. */
  get current(): Snapshot {
    this.#current ??= this.#take();
    return this.#current;
  }

  /** Counts a run while `work` is pending. */
  async whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.#countRun(1);
    try {
      return await work();
    } finally {
      this.#countRun(-1);
    }
  }

  invalidate(): void {
    this.#current = null;
    this.#changed.mark();
    this.#memory.wake();
  }

  /** Stops looking up memory; listeners still get changes until `dispose`. */
  stopPolling(): void {
    this.#memory.dispose();
  }

  dispose(): void {
    this.#memory.dispose();
    this.#changed.dispose();
  }

  #countRun(change: 1 | -1): void {
    this.#running += change;
    this.invalidate();
  }

  #take(): Snapshot {
    const sessions = this.#sources.sessions.all();
    const holders = new Map(sessions.map(({ id, sandboxId }) => [sandboxId, id]));
    const environments = this.#sources.environments().map((environment) =>
      environment.info({
        memoryOf: (sandbox) => this.#memory.of(sandbox),
        sessionOf: (sandboxId) => holders.get(sandboxId) ?? null,
      }),
    );
    const bytes = new Map(
      environments.flatMap(({ sandboxes }) => sandboxes.map(({ id, memoryBytes }) => [id, memoryBytes])),
    );
    return {
      host: this.#sources.hosts.state,
      environments,
      sessions: sessions.map((session) => session.info(bytes.get(session.sandboxId ?? '') ?? null)),
      running: this.#running,
      network: {
        ...this.#sources.network(),
        decisions: this.#sources.hosts.decisions.entries((sandboxId) => holders.get(sandboxId) ?? null),
      },
    };
  }
}
