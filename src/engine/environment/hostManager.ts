import { deferred } from '../../base/deferred.ts';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import type { Host, HostInfo } from '../../host/host.ts';
import { isOwnerAlive } from '../../host/identity.ts';
import type { ProblemKind } from '../../host/problem.ts';
import { startReaper, sweepVolumes } from '../../host/reaper.ts';
import type { EngineDependencies, HostOptions } from '../deps.ts';
import { NetworkLog } from '../network/networkLog.ts';
import type { EngineProblem, Snapshot } from '../types.ts';

/** Problems of the host as a whole; the others are of one image or one sandbox. */
const UNAVAILABLE: ReadonlySet<EngineProblem['kind']> = new Set<ProblemKind>([
  'host_missing',
  'host_stopped',
  'host_hung',
  'host_too_old',
  'permission_denied',
]);

/** How long the end of an engine waits for its last sweep. */
const LAST_SWEEP_MS = 2_000;

/**
 * The host in use and its known state. A replaced host is kept until the end, since sessions may still
 * live on it.
 */
export class HostManager {
  /** What the proxies of sandboxes have decided. */
  readonly decisions: NetworkLog;
  readonly #deps: EngineDependencies;
  readonly #onChange: () => void;
  readonly #replaced: Host[] = [];
  #options: HostOptions;
  #current: Host;
  #sweeping: { readonly host: Host; readonly reaper: Disposable } | null = null;
  #state: Snapshot['host'] = { state: 'unknown' };

  constructor(deps: EngineDependencies, onChange: () => void) {
    this.#deps = deps;
    this.#onChange = onChange;
    this.decisions = new NetworkLog(onChange);
    this.#options = deps.options;
    this.#current = deps.connect(this.#options);
  }

  get current(): Host {
    return this.#current;
  }

  get state(): Snapshot['host'] {
    return this.#state;
  }

  /** Connects to another host when its kind or address differs, or a runtime is named where the host is chosen. */
  configure(options: HostOptions): void {
    const { host, docker } = this.#options;
    const hasAnotherRuntime = options.docker.runtime !== docker.runtime;
    // Which host is chosen may depend on the runtime.
    const isAnother =
      options.host.kind !== host.kind ||
      options.docker.host !== docker.host ||
      (host.kind === 'auto' && hasAnotherRuntime);
    if (!isAnother && !hasAnotherRuntime) return;
    this.#options = options;
    if (isAnother) {
      this.#replaced.push(this.#current);
      this.#current = this.#deps.connect(options);
    }
    this.#setState({ state: 'unknown' });
  }

  /** Records that a sandbox was created; the first one on a host starts the sweeps of orphans there. */
  succeeded(host: Host): void {
    if (host !== this.#current) return;
    this.#sweep(host);
    if (this.#state.state === 'ready') return;
    host.info().then(
      (info) => this.learned(host, info),
      (error) => this.#deps.log.debug(`the host did not describe itself: ${messageOf(error)}`),
    );
  }

  /** Records the error of a host; true when it affects everything on the host. */
  failed(host: Host, problem: EngineProblem): boolean {
    const unavailable = UNAVAILABLE.has(problem.kind);
    if (host === this.#current && unavailable) this.#setState({ state: 'unavailable', problem });
    return unavailable;
  }

  /** Records the description of a host. */
  learned(host: Host, { name, reason, defaultRuntime }: HostInfo): void {
    if (host !== this.#current) return;
    const runtime = this.#options.docker.runtime || defaultRuntime;
    this.#setState({ state: 'ready', name, runtime, ...(reason !== undefined && { reason }) });
  }

  async dispose(): Promise<void> {
    await this.#endSweeps();
    await Promise.all([this.#current, ...this.#replaced].map((host) => host.dispose()));
  }

  #sweep(host: Host): void {
    if (this.#sweeping?.host === host) return;
    this.#sweeping?.reaper.dispose();
    const { clock, log, identity } = this.#deps;
    const reaper = startReaper({ host, clock, log, machine: identity.machine, isAlive: isOwnerAlive });
    this.#sweeping = { host, reaper };
  }

  /** The last one is for volumes alone: of containers that another program has removed since the one before. */
  async #endSweeps(): Promise<void> {
    if (!this.#sweeping) return;
    const { host, reaper } = this.#sweeping;
    reaper.dispose();
    const { clock, identity, log } = this.#deps;
    const swept = sweepVolumes(host, identity.machine).catch((error) =>
      log.debug(`no volumes swept: ${messageOf(error)}`),
    );
    const enough = deferred<void>();
    const late = clock.schedule(LAST_SWEEP_MS, enough.resolve);
    await Promise.race([swept, enough.promise]);
    late.dispose();
  }

  #setState(state: Snapshot['host']): void {
    this.#state = state;
    this.#onChange();
  }
}
