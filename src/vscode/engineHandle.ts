import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Engine, Snapshot } from '../engine/types.ts';

const NOTHING: Snapshot = {
  host: { state: 'unknown' },
  environments: [],
  sessions: [],
  running: 0,
  network: { policy: 'none', allow: [], decisions: [] },
};

type State =
  | { readonly kind: 'unbuilt' }
  | { readonly kind: 'building'; readonly engine: Promise<Engine> }
  | { readonly kind: 'built'; readonly engine: Engine; readonly subscription: Disposable }
  | { readonly kind: 'disposed' };

/** The engine, built at its first use. Views read its snapshot without building it. */
export class EngineHandle {
  readonly #build: () => Promise<Engine>;
  readonly #changed = new Emitter<void>();
  #state: State = { kind: 'unbuilt' };

  constructor(build: () => Promise<Engine>) {
    this.#build = build;
  }

  /** Fires when the snapshot has changed. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /** The engine, if it is built. */
  get current(): Engine | undefined {
    return this.#state.kind === 'built' ? this.#state.engine : undefined;
  }

  /** The engine, if it is built or being built. Rejects when the build fails. */
  get started(): Promise<Engine> | undefined {
    const state = this.#state;
    if (state.kind === 'built') return Promise.resolve(state.engine);
    return state.kind === 'building' ? state.engine : undefined;
  }

  /** The engine's snapshot; empty before the engine is built. */
  snapshot(): Snapshot {
    return this.current?.snapshot() ?? NOTHING;
  }

  /** Builds the engine at the first call. Rejects when the build fails; the next call tries again. */
  async get(): Promise<Engine> {
    switch (this.#state.kind) {
      case 'built':
      case 'building':
        return this.#state.engine;
      case 'unbuilt':
        return this.#start();
      case 'disposed':
        throw new Error('Hothouse has been shut down; reload the window to use it again.');
    }
  }

  /** Disposes the engine, if there is one; resolves when its containers are gone. */
  dispose(): Promise<void> {
    return this.#end((engine) => engine.dispose());
  }

  /** As `dispose`, but leaves the sessions that another engine can resume. */
  detach(): Promise<void> {
    return this.#end((engine) => engine.detach());
  }

  async #end(end: (engine: Engine) => Promise<void>): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'disposed' };
    this.#changed.dispose();
    if (state.kind === 'built') {
      state.subscription.dispose();
      await end(state.engine);
    } else if (state.kind === 'building') {
      await state.engine.then(end).catch(() => {});
    }
  }

  #start(): Promise<Engine> {
    const building = this.#build().then(
      (engine) => this.#built(engine),
      (error: unknown) => this.#failed(error),
    );
    this.#state = { kind: 'building', engine: building };
    return building;
  }

  #built(engine: Engine): Engine {
    if (this.#state.kind === 'disposed') return engine;
    this.#state = { kind: 'built', engine, subscription: engine.onDidChange(() => this.#changed.fire()) };
    this.#changed.fire();
    return engine;
  }

  #failed(error: unknown): never {
    if (this.#state.kind !== 'disposed') this.#state = { kind: 'unbuilt' };
    throw error;
  }
}
