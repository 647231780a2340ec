import { messageOf } from '../base/log.ts';
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
import { sameRecipe, specOf } from './recipe.ts';
import type { EnvironmentInfo, Owner, SandboxInfo } from './types.ts';

const EVENT_BYTES = 8 * 1024 * 1024;

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
  #options: Options;
  #runs = 0;

  constructor(language: Language, deps: EngineDeps, hosts: Hosts) {
    this.id = language.id;
    this.language = language;
    this.#deps = deps;
    this.#hosts = hosts;
    this.#options = deps.options;
    const { clock, log, options } = deps;
    this.pool = new Pool({ boot: this.#bootOf(options), options: options.pool, clock, log });
  }

  get image(): string {
    return this.#options.python.image;
  }

  lease(owner: Owner, purpose: Purpose, signal?: AbortSignal): Promise<Grant> {
    return this.pool.lease({ owner, purpose }, signal);
  }

  countRun(): void {
    this.#runs += 1;
  }

  /** Takes new options; what is warm is replaced if it would be made otherwise now. */
  configure(options: Options): void {
    const same = sameRecipe(options, this.#options);
    this.#options = options;
    if (same) this.pool.configure(options.pool);
    else this.refresh();
  }

  /** Replaces what is warm, because the image is another one. */
  refresh(): void {
    this.pool.configure(this.#options.pool, this.#bootOf(this.#options));
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
        this.#preload(sandbox, options.python.preload);
        return sandbox;
      } catch (error) {
        this.#hosts.failed(host, problemOf(error));
        throw error;
      }
    };
  }

  #preload(sandbox: Sandbox, modules: readonly string[]): void {
    if (modules.length === 0) return;
    const name = `sandbox ${sandbox.id.slice(0, 12)}`;
    sandbox.request({ op: 'preload', modules: [...modules] }).then(
      () => this.#deps.log.debug(`${name} has preloaded its modules`),
      (error) => this.#deps.log.debug(`${name} does not tell what it preloaded: ${messageOf(error)}`),
    );
  }
}
