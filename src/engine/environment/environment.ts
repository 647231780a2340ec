import type { Event } from '../../base/event.ts';
import { messageOf } from '../../base/log.ts';
import { type Host, HostError } from '../../host/host.ts';
import { LABEL } from '../../host/labels.ts';
import type { Language, LanguageTask, ResumedInterpreter } from '../../languages/language.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import type { Grant, Lease, Purpose } from '../../pool/lease.ts';
import { Pool } from '../../pool/pool.ts';
import { PoolSet } from '../../pool/poolSet.ts';
import type { Boot } from '../../pool/slots.ts';
import { type BootOptions, bootSandbox, type ResumeOptions, resumeSandbox } from '../../sandbox/boot.ts';
import type { ResumedSandbox, Sandbox, Walls } from '../../sandbox/sandbox.ts';
import type { EngineDependencies } from '../deps.ts';
import { environmentPolicy, withEnvironmentNetwork } from '../network/environmentNetwork.ts';
import { sandboxNetwork } from '../network/policy.ts';
import { languageOptions, type Options } from '../options.ts';
import { notResumed, problemOf } from '../problems.ts';
import type { SessionRecord } from '../session/sessionRecord.ts';
import type { EnvironmentInfo, Owner, Result, SandboxInfo } from '../types.ts';
import type { EnvironmentDefinition, EnvironmentLock } from './definition.ts';
import type { HostManager } from './hostManager.ts';
import { type CustomEnvironment, type MemoryLimit, type Profile, profileOf } from './profile.ts';
import { poolOptionsOf, specChanged, specOf } from './sandboxSpec.ts';
import { warmUp } from './warmUp.ts';

/** Why a session does not come back on a host whose sandboxes do not outlive their process. */
const ENDED = 'without a container engine a sandbox ends with the program that started it';
const EVENT_BYTES = 8 * 1024 * 1024;
const EVENTS = 20_000;
/** Keys without a pool that are remembered. */
const MAX_WANTED = 100;
/** Between checks of the host while a request waits for a sandbox. */
const LOOK_MS = 3_000;

/** Facts of sandboxes for views that the pool does not have. */
export interface SandboxFacts {
  memoryOf(sandbox: Sandbox): number | null;
  sessionOf(sandboxId: string): string | null;
}

/** Where a lease comes from. */
export interface LeaseTerms {
  /** Which of the environment's pools it comes from; empty where the language has one only. */
  readonly key?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A sandbox and its interpreter that another engine had. */
export interface ResumedLease {
  readonly lease: Lease;
  readonly resumed: ResumedInterpreter;
  readonly proceed: () => void;
}

/** An environment, a language's default one or a user's: its image, and the pools of sandboxes made from it. */
export class Environment {
  readonly id: string;
  readonly definition: LanguageDefinition;
  readonly language: Language;
  /** Fires when `info` has changed. */
  readonly onDidChange: Event<void>;
  readonly #custom: CustomEnvironment | undefined;
  readonly #deps: EngineDependencies;
  readonly #hosts: HostManager;
  readonly #pools: PoolSet;
  /** Keys that were requested, the latest last. */
  readonly #wanted = new Set<string>();
  #options: Options;
  #profile: Profile;
  #runs = 0;
  #isResting = false;
  /** What rests gives its sandboxes up once no request waits for one. */
  #hasRested = false;
  #used = false;
  #watching = false;

  constructor(
    definition: LanguageDefinition,
    deps: EngineDependencies,
    hosts: HostManager,
    custom?: CustomEnvironment,
  ) {
    this.id = custom?.id ?? definition.id;
    this.definition = definition;
    this.#custom = custom;
    this.#deps = deps;
    this.#hosts = hosts;
    this.#options = withEnvironmentNetwork(deps.options, custom?.network);
    this.#profile = profileOf(definition, this.#options, custom);
    const { clock, log } = deps;
    this.language = definition.create({ options: () => languageOptions(definition, this.#options), clock, log });
    const { prewarmed, max } = this.#profile.poolKeys;
    this.#pools = new PoolSet({ make: (key) => this.#makePool(key), options: poolOptionsOf(this.#options), max });
    this.onDidChange = this.#pools.onDidChange;
    this.onDidChange(() => this.#settle());
    if (deps.options.pool.prewarm && !custom) this.#pools.warm(prewarmed);
  }

  /** Whether it is a user's. */
  get isCustom(): boolean {
    return this.#custom !== undefined;
  }

  /** Whether its sandboxes end with this process, so that no other can take them over. */
  get endsWithProcess(): boolean {
    return this.#hosts.current.endsWithProcess ?? false;
  }

  get image(): string {
    return this.#profile.image;
  }

  /** The image of the language itself, which `image` is built on where the options add packages. */
  get base(): string {
    return this.#profile.base;
  }

  /** What the options add to the image of the language; null for nothing. */
  get added(): EnvironmentDefinition | null {
    return this.#profile.added;
  }

  /** What its image was built from; null for that of a language. */
  get lock(): EnvironmentLock | null {
    return this.#custom?.lock ?? null;
  }

  /** Whether packages may be installed into its sessions. */
  get allowsInstalls(): boolean {
    return this.#custom?.network !== 'none';
  }

  /** What its sandboxes and its installers reach: its own policy, or that of the machine. */
  get network(): Options['network'] {
    return this.#options.network;
  }

  get memory(): MemoryLimit {
    return this.#profile.memory;
  }

  /** The limit that the session of a person's notebook gets where the host can change limits. */
  get notebookMemory(): MemoryLimit {
    return this.#profile.notebookMemory;
  }

  get cpus(): number {
    return this.#profile.cpus;
  }

  /** Whether requests wait for a sandbox. */
  get isWaiting(): boolean {
    return this.#pools.waiting > 0;
  }

  /** Gives up its warm sandboxes until the next lease, once no request waits for one; those in use stay until they are released. */
  rest(): void {
    this.#isResting = true;
    this.#settle();
  }

  lease(owner: Owner, purpose: Purpose, { key = '', signal }: LeaseTerms = {}): Promise<Grant> {
    if (this.#isResting) this.#wake();
    const grant = this.#pools.lease(key, { owner, purpose }, signal);
    if (!this.#used) this.#warmOthers();
    this.#watch();
    return grant;
  }

  /**
   * Takes the sandbox of a session over from another engine, with its interpreter. Its stream waits until `proceed`. A
   * sandbox that cannot be used is removed, and one that another secret protects is left alone.
   */
  async resume(record: SessionRecord, signal?: AbortSignal): Promise<Result<ResumedLease>> {
    const { sessionId, sandboxId, secret, owner } = record;
    const failed = (reason: string) => ({ ok: false as const, error: notResumed(sessionId, reason) });
    if (!this.language.resume)
      return failed(`sessions of ${this.definition.displayName} end with the process that opened them`);
    const host = this.#hosts.current;
    try {
      const labels = { [LABEL.managed]: 'true', [LABEL.machine]: this.#deps.identity.machine };
      const container = await host.attach(sandboxId, labels, signal);
      if (!container) return failed(host.endsWithProcess ? ENDED : 'its sandbox is gone');
      const handover = await resumeSandbox(container, host.handshakeMs, secret, this.#resumeOptions(), signal);
      this.#hosts.succeeded(host);
      this.#hosts.decisions.add(this.id, handover.sandbox);
      const resumed = resumedIn(handover, this.language);
      const lease = resumed && this.#pools.adopt('', handover.sandbox, owner);
      if (resumed && lease) return { ok: true, value: { lease, resumed, proceed: () => handover.resume() } };
      await handover.sandbox.dispose();
      return failed('its interpreter has ended');
    } catch (error) {
      return error instanceof HostError ? { ok: false, error: problemOf(error) } : failed(messageOf(error));
    }
  }

  /** The key of the warm pool that suits the code best. */
  keyFor(code: string, task?: LanguageTask): string {
    const key = this.language.keyOf?.(code, task) ?? '';
    return this.#pools.has(key) ? key : '';
  }

  /**
   * Keeps sandboxes warm for a key: at once if there is room, and in place of another key from its second request on.
   */
  keepWarm(key: string): void {
    if (this.#pools.has(key)) return;
    this.#pools.warm([key]);
    if (this.#wanted.has(key)) this.#pools.admit(key);
    this.#wanted.delete(key);
    this.#wanted.add(key);
    const [oldest] = this.#wanted;
    if (oldest !== undefined && this.#wanted.size > MAX_WANTED) this.#wanted.delete(oldest);
  }

  countRun(): void {
    this.#runs += 1;
  }

  /** Sets new options; replaces warm sandboxes when their specification changes. */
  configure(machine: Options): void {
    const options = withEnvironmentNetwork(machine, this.#custom?.network);
    const isChanged = specChanged(options, this.#options, this.definition);
    this.#options = options;
    this.#profile = profileOf(this.definition, options, this.#custom);
    if (isChanged) this.refresh();
    else this.#configurePools();
    if ((this.#used && !this.#isResting) || (options.pool.prewarm && !this.isCustom)) this.#warmOthers();
  }

  /** Replaces warm sandboxes after a build of the image. */
  refresh(): void {
    this.#configurePools((key) => this.#bootOf(key));
  }

  /** Destroys one sandbox, by its id in `info`. */
  stop(id: string): void {
    this.#pools.stop(id);
  }

  /** Running sandboxes. */
  sandboxes(): readonly Sandbox[] {
    return this.#pools.slots().flatMap(({ sandbox }) => sandbox ?? []);
  }

  /** The walls of its sandboxes, as an agent reports them. Starts a sandbox for that where none runs. */
  async checkWalls(signal?: AbortSignal): Promise<Result<Walls>> {
    const known = this.#walls();
    if (known) return { ok: true, value: known };
    try {
      const sandbox = await bootSandbox(this.#hosts.current, await this.#bootOptions()(), signal);
      await sandbox.dispose();
      return { ok: true, value: sandbox.ready.walls };
    } catch (error) {
      return { ok: false, error: problemOf(error) };
    }
  }

  info({ memoryOf, sessionOf }: SandboxFacts): EnvironmentInfo {
    const sandboxes = this.#pools.slots().map(
      ({ id, state, owner, createdAt, uses, sandbox, key }): SandboxInfo => ({
        id,
        state,
        owner,
        poolKey: key,
        createdAt,
        uses,
        sessionId: sessionOf(id),
        memoryBytes: sandbox && memoryOf(sandbox),
      }),
    );
    const { image } = this;
    const own = this.#custom && environmentPolicy(this.#custom.network);
    return {
      id: this.id,
      language: this.definition.id,
      isCustom: this.isCustom,
      image,
      sandboxes,
      waiting: this.#pools.waiting,
      runs: this.#runs,
      walls: this.#walls(),
      network: own === undefined || own.policy === 'packages' ? null : own,
    };
  }

  /** Rejects waiting requests and destroys every sandbox; resolves when all are gone. */
  dispose(): Promise<void> {
    return this.#pools.dispose();
  }

  #walls(): Walls | null {
    return this.sandboxes()[0]?.ready.walls ?? null;
  }

  #configurePools(bootOf?: (key: string) => Boot): void {
    this.#pools.configure(this.#poolOptions(), this.#profile.poolKeys.max, bootOf);
  }

  /** Custom environments have no sandboxes before their first use. */
  #poolOptions(): Options['pool'] {
    const options = poolOptionsOf(this.#options);
    if (this.#hasRested) return { ...options, size: 0, minIdle: 0, prewarm: false };
    return this.isCustom ? { ...options, prewarm: false } : options;
  }

  #wake(): void {
    this.#isResting = false;
    this.#hasRested = false;
    this.#configurePools();
  }

  #settle(): void {
    if (!this.#isResting || this.#hasRested || this.isWaiting) return;
    this.#hasRested = true;
    this.#configurePools();
  }

  #warmOthers(): void {
    this.#used = true;
    this.#pools.warm(this.#profile.poolKeys.prewarmed);
  }

  #makePool(key: string): Pool {
    const { clock, log } = this.#deps;
    const prepare = (sandbox: Sandbox) => this.language.warm?.(sandbox, { key, after: 'reset' }) ?? null;
    return new Pool({ boot: this.#bootOf(key), prepare, options: this.#poolOptions(), clock, log });
  }

  /** Binds the host and the options, so that a late boot cannot affect another host's state. */
  #bootOf(key: string): Boot {
    const host = this.#hosts.current;
    const bootOptions = this.#bootOptions();
    return async (signal) => {
      try {
        const boot = await bootOptions();
        const sandbox = await bootSandbox(host, boot, signal);
        this.#hosts.succeeded(host);
        this.#hosts.decisions.add(this.id, sandbox);
        await warmUp({ language: this.language, sandbox, key, spec: boot.spec, signal });
        return sandbox;
      } catch (error) {
        this.#onHostError(host, error);
        throw error;
      }
    };
  }

  #bootOptions(): () => Promise<BootOptions> {
    const { identity, sessionStore, images } = this.#deps;
    const options = this.#options;
    const isAttachable = sessionStore !== undefined && this.language.resume !== undefined;
    const terms = this.#resumeOptions();
    return async () => {
      const network = await sandboxNetwork(options.network, () => images('proxy'));
      const spec = { ...specOf(this.definition, options, identity, this.#custom, network), isAttachable };
      return { ...terms, spec, agent: this.#deps.agent };
    };
  }

  #resumeOptions(): ResumeOptions {
    const { clock, log } = this.#deps;
    const outputBytes = this.#options.limits.outputKb * 1024;
    return { outputBytes, eventBytes: EVENT_BYTES, events: EVENTS, clock, log };
  }

  /** Rejects waiting requests when the host is unavailable. */
  #onHostError(host: Host, error: unknown): void {
    if (this.#hosts.failed(host, problemOf(error)) && host === this.#hosts.current) this.#pools.rejectWaiting(error);
  }

  /** Checks the host while a request waits, since a host that hangs fails no request by itself. */
  #watch(): void {
    if (this.#watching || this.#pools.waiting === 0) return;
    this.#watching = true;
    this.#deps.clock.schedule(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const host = this.#hosts.current;
    if (this.#pools.waiting > 0) {
      const looked = host.images ? host.images.find(this.image) : host.info();
      await looked.catch((error: unknown) => this.#onHostError(host, error));
    }
    this.#watching = false;
    this.#watch();
  }
}

/** The interpreter of a session; null when it has ended, or is one of another version of Hothouse. */
function resumedIn(handover: ResumedSandbox, language: Language): ResumedInterpreter | null {
  try {
    return language.resume?.(handover) ?? null;
  } catch {
    return null;
  }
}
