import type Docker from 'dockerode';
import { deferred } from '../../base/deferred.ts';
import type { Disposable } from '../../base/disposable.ts';
import { HostError } from '../host.ts';
import { withDeadline } from './deadline.ts';
import { discover, type Found, type Search } from './discover.ts';
import { engineAt, hung, isConnectionProblem, problemOf } from './problems.ts';

const CONNECT_MS = 9_000;
const SMALL_MS = 8_000;
const PROBE_AFTER_MS = 2_000;
const PROBE_MS = 3_000;

/** One call to Docker, or to Podman, which understands the same calls but for some. */
export interface Call<T> {
  /** For messages: `create a container`. */
  readonly doing: string;
  /** Milliseconds it may take; 8 s when left out. */
  readonly ms?: number;
  readonly signal?: AbortSignal | undefined;
  readonly work: (docker: Docker, signal: AbortSignal, isPodman: boolean) => Promise<T>;
}

type State = { readonly kind: 'open'; readonly connection: Promise<Found> | null } | { readonly kind: 'disposed' };

/** Finds Docker, calls it, and searches again after the connection is lost. */
export class Client implements Disposable {
  readonly #search: Search;
  #state: State = { kind: 'open', connection: null };

  constructor(search: Search) {
    this.#search = search;
  }

  /** Whether `dispose` was called: every call rejects from then on. */
  get isDisposed(): boolean {
    return this.#state.kind === 'disposed';
  }

  /** The address in use, as in DOCKER_HOST. Rejects with a `HostError`. */
  async address(signal?: AbortSignal): Promise<string> {
    return (await this.#connected(signal)).host;
  }

  /** Whether it is Podman that answers. Rejects with a `HostError`. */
  async isPodman(signal?: AbortSignal): Promise<boolean> {
    return (await this.#connected(signal)).isPodman;
  }

  /**
   * Makes one call. Rejects with a `HostError` within its deadline. When
   * Docker no longer answers at all, it rejects after five seconds.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const stuck = deferred<never>();
    const probe = this.#search.clock.schedule(PROBE_AFTER_MS, () => {
      this.#ask({ doing: call.doing, ms: PROBE_MS, work: (docker) => docker.ping() }).catch(stuck.reject);
    });
    try {
      return await Promise.race([this.#ask(call), stuck.promise]);
    } finally {
      probe.dispose();
    }
  }

  async #ask<T>({ doing, ms = SMALL_MS, signal, work }: Call<T>): Promise<T> {
    const connection = await this.#connected(signal);
    const { host, docker, isPodman } = connection;
    const engine = engineAt(host, isPodman);
    const deadline = { clock: this.#search.clock, ms, late: (given: number) => hung(engine, doing, given) };
    try {
      return await withDeadline(deadline, signal, (inner) => work(docker, inner, isPodman));
    } catch (error) {
      const problem = problemOf(error, engine, doing);
      if (isConnectionProblem(problem)) this.#forget(connection);
      throw new HostError(problem);
    }
  }

  async #connected(signal: AbortSignal | undefined): Promise<Found> {
    if (this.#state.kind === 'disposed') throw disposed();
    const connection = this.#state.connection ?? this.#look();
    const late = (ms: number) => hung(engineAt(this.#search.host || 'its address'), 'a first question', ms);
    return withDeadline({ clock: this.#search.clock, ms: CONNECT_MS, late }, signal, () => connection);
  }

  #look(): Promise<Found> {
    const connection = discover(this.#search);
    this.#state = { kind: 'open', connection };
    connection.then(
      ({ host, isPodman }) => this.#search.log.info(`using ${engineAt(host, isPodman).replace(/^The /, 'the ')}`),
      () => this.#forgetIf(connection),
    );
    return connection;
  }

  #forget(lost: Found): void {
    const current = this.#state.kind === 'open' ? this.#state.connection : null;
    current?.then(
      (found) => found === lost && this.#forgetIf(current),
      // Concurrent searches get the same error.
      () => {},
    );
  }

  #forgetIf(connection: Promise<Found>): void {
    if (this.#state.kind === 'open' && this.#state.connection === connection) {
      this.#state = { kind: 'open', connection: null };
    }
  }

  dispose(): void {
    const connection = this.#state.kind === 'open' ? this.#state.connection : null;
    this.#state = { kind: 'disposed' };
    connection?.then(
      (open) => open.dispose(),
      () => {},
    );
  }
}

function disposed(): HostError {
  return new HostError({
    kind: 'host_failed',
    message: 'The connection to the Docker Engine has been closed.',
    advice: 'Start Hothouse again.',
  });
}
