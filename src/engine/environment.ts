import { messageOf } from '../base/log.ts';
import type { Host } from '../host/host.ts';
import type { Language } from '../languages/language.ts';
import type { Grant } from '../pool/lease.ts';
import { type Boot, Pool } from '../pool/pool.ts';
import type { Purpose } from '../pool/slot.ts';
import { bootSandbox } from '../sandbox/boot.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { EngineDeps } from './deps.ts';
import type { Hosts } from './hosts.ts';
import type { Options } from './options.ts';
import { problemOf } from './problems.ts';
import { poolOptionsOf, sameRecipe, specOf } from './recipe.ts';
import type { EnvironmentInfo, Owner, SandboxInfo } from './types.ts';

const EVENT_BYTES = 8 * 1024 * 1024;
/** An import that takes longer than this will not end; its sandbox is of no use. */
const PRELOAD_DEADLINE_MS = 120_000;
/** From one look after the host to the next, while somebody waits for a sandbox. */
const LOOK_MS = 3_000;

/** What views know of sandboxes that the pool does not. */
export interface SandboxFacts {
  memoryOf(sandbox: Sandbox): number | null;
  sessionOf(sandboxId: string): string | null;
}

/** The default environment of a language: its image, and the pool of sandboxes made from it. */
export class Environment {
  readonly id: string;
  readonly language: Language;
  readonly pool: Pool;
  readonly #deps: EngineDeps;
  readonly #hosts: Hosts;
  readonly #preloaded = new WeakSet<Sandbox>();
  #options: Options;
  #runs = 0;
  #watching = false;

  constructor(language: Language, deps: EngineDeps, hosts: Hosts) {
    this.id = language.id;
    this.language = language;
    this.#deps = deps;
    this.#hosts = hosts;
    this.#options = deps.options;
    const { clock, log, options } = deps;
    // Under a load without pauses a sandbox would never come to preload, and every run would pay for its imports.
    const prepare = (sandbox: Sandbox) => (this.#preloaded.has(sandbox) ? null : this.#preload(sandbox));
    this.pool = new Pool({ boot: this.#bootOf(options), prepare, options: poolOptionsOf(options), clock, log });
  }

  get image(): string {
    return this.#options.python.image;
  }

  lease(owner: Owner, purpose: Purpose, signal?: AbortSignal): Promise<Grant> {
    const grant = this.pool.lease({ owner, purpose }, signal);
    this.#watch();
    return grant;
  }

  countRun(): void {
    this.#runs += 1;
  }

  /** Takes new options; what is warm is replaced if it would be made otherwise now. */
  configure(options: Options): void {
    const same = sameRecipe(options, this.#options);
    this.#options = options;
    if (same) this.pool.configure(poolOptionsOf(options));
    else this.refresh();
  }

  /** Replaces what is warm, because the image is another one. */
  refresh(): void {
    this.pool.configure(poolOptionsOf(this.#options), this.#bootOf(this.#options));
  }

  info({ memoryOf, sessionOf }: SandboxFacts): EnvironmentInfo {
    const { slots, waiting } = this.pool.snapshot();
    const sandboxes = slots.map(
      ({ id, state, owner, createdAt, uses, sandbox }): SandboxInfo => ({
        id,
        state,
        owner,
        createdAt,
        uses,
        sessionId: sessionOf(id),
        memoryBytes: sandbox && memoryOf(sandbox),
      }),
    );
    return { id: this.id, language: this.language.id, image: this.image, sandboxes, waiting, runs: this.#runs };
  }

  /** The host is fixed with the options: a boot that is late must not blame or praise another one. */
  #bootOf(options: Options): Boot {
    const { agent, clock, log, identity } = this.#deps;
    const host = this.#hosts.current;
    const outputBytes = options.limits.outputKb * 1024;
    const spec = specOf(options, this.id, identity);
    return async (signal) => {
      try {
        const boot = { spec, agent, outputBytes, eventBytes: EVENT_BYTES, clock, log };
        const sandbox = await bootSandbox(host, boot, signal);
        this.#hosts.succeeded(host);
        void this.#preload(sandbox);
        return sandbox;
      } catch (error) {
        this.#blame(host, error);
        throw error;
      }
    };
  }

  /** Whoever waits for a sandbox of a host that cannot be used is told so. */
  #blame(host: Host, error: unknown): void {
    if (this.#hosts.failed(host, problemOf(error)) && host === this.#hosts.current) this.pool.refuse(error);
  }

  /** Looks after the host while somebody waits: what they wait for may be in the hands of one that stands still. */
  #watch(): void {
    if (this.#watching || this.pool.snapshot().waiting === 0) return;
    this.#watching = true;
    this.#deps.clock.schedule(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const host = this.#hosts.current;
    if (this.pool.snapshot().waiting > 0) {
      await host.image(this.image).catch((error: unknown) => this.#blame(host, error));
    }
    this.#watching = false;
    this.#watch();
  }

  /** Has the sandbox import its modules and keep a process ready; it can serve meanwhile. Never rejects. */
  async #preload(sandbox: Sandbox): Promise<void> {
    const name = `sandbox ${sandbox.id.slice(0, 12)}`;
    const late = this.#deps.clock.schedule(PRELOAD_DEADLINE_MS, () => void sandbox.dispose());
    try {
      await sandbox.request({ op: 'preload', modules: [...this.#options.python.preload] });
      this.#preloaded.add(sandbox);
      this.#deps.log.debug(`${name} has preloaded its modules`);
    } catch (error) {
      this.#deps.log.debug(`${name} could not tell what it preloaded: ${messageOf(error)}`);
    } finally {
      late.dispose();
    }
  }
}
