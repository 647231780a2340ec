import { deferred } from '../../base/deferred.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { EngineDependencies } from '../deps.ts';
import { Installer, type InstallerTerms } from './installer.ts';

/** One that waits is removed after this time without an installation. */
const IDLE_MS = 120_000;
/** The cell that has asked for packages comes before the next installer. */
const PAUSE_MS = 1_000;
/** How long the end of an engine waits for its installers; Docker removes them, or the sweep of a later engine. */
const END_MS = 5_000;

/** An installer that waits for its order. */
interface Standby {
  readonly terms: InstallerTerms;
  readonly started: Promise<Installer | null>;
  readonly timer: Disposable;
}

type Deps = Pick<EngineDependencies, 'agent' | 'clock' | 'log'>;

/** Starts installers, each for one order, and for a while after an order keeps one that waits for the next. */
export class Installers {
  readonly #deps: Deps;
  /** What is to be removed, or has to be waited for. */
  readonly #pending = new Set<Promise<unknown>>();
  #standby: Standby | null = null;
  #pause: Disposable | null = null;
  #isDisposed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Gives an installer to `use`, and removes it after. Rejects with what the host or `use` rejects with. */
  async use<T>(
    terms: InstallerTerms,
    signal: AbortSignal,
    use: (installer: Installer) => Promise<T>,
    keepsNext: boolean,
  ): Promise<T> {
    const installer = (await this.#take(terms)) ?? (await Installer.start(terms, this.#deps, signal));
    try {
      return await use(installer);
    } finally {
      this.#track(installer.dispose());
      if (keepsNext && !this.#isDisposed) this.#pause = this.#deps.clock.schedule(PAUSE_MS, () => this.#prepare(terms));
    }
  }

  /** Removes all of them; resolves when they are gone, or after five seconds. Never rejects. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#pause?.dispose();
    this.#drop();
    const enough = deferred<void>();
    const late = this.#deps.clock.schedule(END_MS, enough.resolve);
    await Promise.race([this.#settled(), enough.promise]);
    late.dispose();
  }

  async #settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** The one that waits, if it is one of these terms. */
  async #take(terms: InstallerTerms): Promise<Installer | null> {
    this.#pause?.dispose();
    const standby = this.#standby;
    if (!standby) return null;
    if (!isEqual(standby.terms, terms)) {
      this.#drop();
      return null;
    }
    this.#standby = null;
    standby.timer.dispose();
    const installer = await standby.started;
    if (!installer?.isLost) return installer;
    this.#track(installer.dispose());
    return null;
  }

  #prepare(terms: InstallerTerms): void {
    if (this.#standby || this.#isDisposed) return;
    const started = Installer.start(terms, this.#deps).catch(() => null);
    this.#track(started);
    this.#standby = { terms, started, timer: this.#deps.clock.schedule(IDLE_MS, () => this.#drop()) };
  }

  #drop(): void {
    const standby = this.#standby;
    this.#standby = null;
    standby?.timer.dispose();
    if (standby) this.#track(standby.started.then((installer) => installer?.dispose()));
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}

function isEqual(one: InstallerTerms, other: InstallerTerms): boolean {
  return (
    one.host === other.host && one.program === other.program && JSON.stringify(one.spec) === JSON.stringify(other.spec)
  );
}
