import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { type BlockingProblem, blockingProblems } from '../engine/preflight.ts';
import type { EngineProblem, Preflight } from '../engine/types.ts';
import type { EngineHandle } from './engineHandle.ts';
import { FIRST_LANGUAGE } from './languages.ts';

const RETRY_MS = 5_000;

/** Whether code can run, and the problem that prevents it. */
export class Health implements Disposable {
  readonly #handle: EngineHandle;
  readonly #clock: Clock;
  readonly #changed = new Emitter<void>();
  readonly #subscription: Disposable;
  #blocking: BlockingProblem | undefined;
  #checking: Promise<Preflight> | undefined;

  constructor(handle: EngineHandle, clock: Clock) {
    this.#handle = handle;
    this.#clock = clock;
    this.#subscription = handle.onDidChange(() => this.#updateFromSnapshot());
  }

  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  get problem(): EngineProblem | undefined {
    return this.#blocking?.problem;
  }

  /** The problem, and the language that it is met with. */
  get blocking(): BlockingProblem | undefined {
    return this.#blocking;
  }

  /** Checks the host and the images. Concurrent calls share one check. */
  check(): Promise<Preflight> {
    this.#checking ??= this.#preflight().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Checks now and, while there is a problem, every few seconds until disposed. */
  watch(): Disposable {
    let timer: Disposable | undefined;
    let disposed = false;
    const scheduleNext = () => {
      if (!disposed) timer = this.#clock.schedule(RETRY_MS, () => (this.#blocking ? checkNow() : scheduleNext()));
    };
    const checkNow = () => void this.check().then(scheduleNext, scheduleNext);
    checkNow();
    return toDisposable(() => {
      disposed = true;
      timer?.dispose();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #preflight(): Promise<Preflight> {
    const engine = await this.#handle.get();
    const found = await engine.preflight();
    this.#set(blockingProblems(found)[0]);
    return found;
  }

  /** Updates the problem from the engine: a host that is unavailable is one, a sandbox that works proves there is none. */
  #updateFromSnapshot(): void {
    const { host, environments } = this.#handle.snapshot();
    if (host.state === 'unavailable') this.#set({ problem: host.problem, language: FIRST_LANGUAGE });
    else if (environments.some(({ sandboxes }) => sandboxes.some(({ state }) => state !== 'booting'))) {
      this.#set(undefined);
    }
  }

  #set(blocking: BlockingProblem | undefined): void {
    const [before, now] = [this.problem, blocking?.problem];
    const same = now?.kind === before?.kind && now?.message === before?.message;
    this.#blocking = blocking;
    if (!same) this.#changed.fire();
  }
}
