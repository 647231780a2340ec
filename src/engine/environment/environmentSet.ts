import { isDeepStrictEqual } from 'node:util';
import type { EngineDependencies } from '../deps.ts';
import { isConsented } from '../network/consent.ts';
import { formatEnvironmentNetwork } from '../network/environmentNetwork.ts';
import type { Options } from '../options.ts';
import { needsNetworkConsent, otherEnvironmentLanguage, unknownEnvironment, unknownLanguage } from '../problems.ts';
import type { Result } from '../types.ts';
import { type EnvironmentRecord, parseRecord } from './definition.ts';
import { Environment } from './environment.ts';
import type { EnvironmentStore } from './environmentStore.ts';
import type { HostManager } from './hostManager.ts';
import { WarmTurns } from './warmTurns.ts';

/** A user's environment with its sandboxes. */
interface Custom {
  readonly record: EnvironmentRecord;
  readonly environment: Environment;
}

/** The environments of an engine: one for each language, and those that the user has defined. */
export class EnvironmentSet {
  readonly store: EnvironmentStore;
  readonly #deps: EngineDependencies;
  readonly #hosts: HostManager;
  readonly #onChange: () => void;
  readonly #defaults: ReadonlyMap<string, Environment>;
  readonly #customs = new Map<string, Custom>();
  /** Replaced or removed; sessions may still hold their sandboxes. */
  readonly #replaced: Environment[] = [];
  /** The least recently used first. */
  readonly #used = new Set<Environment>();
  readonly #turns: WarmTurns | null;
  #options: Options;
  #disposed = false;

  constructor(deps: EngineDependencies, store: EnvironmentStore, hosts: HostManager, onChange: () => void) {
    this.store = store;
    this.#deps = deps;
    this.#hosts = hosts;
    this.#onChange = onChange;
    this.#options = deps.options;
    this.#defaults = new Map(
      deps.languages.map((language) => [language.id, this.#follow(new Environment(language, deps, hosts))]),
    );
    this.#turns = deps.useBoard
      ? new WarmTurns(deps.useBoard, deps.clock, {
          isWaiting: (id) => this.ofSession(id)?.isWaiting === true,
          rest: (id) => this.ofSession(id)?.rest(),
        })
      : null;
  }

  /** Those of the languages, in their order. */
  defaults(): readonly Environment[] {
    return [...this.#defaults.values()];
  }

  /** Those of the languages, then the user's as far as they are known, by name; replaced ones while they have sandboxes. */
  all(): readonly Environment[] {
    const customs = [...this.#customs.values()].map(({ environment }) => environment);
    customs.sort((one, other) => (one.id < other.id ? -1 : 1));
    return [...this.defaults(), ...customs, ...this.#replaced.filter((one) => one.sandboxes().length > 0)];
  }

  /** A language's own environment. */
  ofLanguage(language: string): Result<Environment> {
    const environment = this.#defaults.get(language);
    if (environment) return { ok: true, value: environment };
    return { ok: false, error: unknownLanguage(language, [...this.#defaults.keys()]) };
  }

  /** The environment of that name, for code of that language; without a name the language's own. */
  async find(language: string, name: string | undefined): Promise<Result<Environment>> {
    const own = this.ofLanguage(language);
    if (!own.ok || name === undefined || name === language) return own;
    const record = await this.read(name);
    if (!record) return { ok: false, error: unknownEnvironment(name, await this.#names()) };
    if (record.language !== language) {
      return { ok: false, error: otherEnvironmentLanguage(name, record.language, language) };
    }
    if (!isConsented(record)) {
      return { ok: false, error: needsNetworkConsent(name, formatEnvironmentNetwork(record.network)) };
    }
    return { ok: true, value: this.#adopt(record) };
  }

  /** The environment of a session, by its id; null when it was replaced since. */
  ofSession(id: string): Environment | null {
    return this.#defaults.get(id) ?? this.#customs.get(id)?.environment ?? null;
  }

  /** Marks an environment as used now. With more than the maximum, the least recently used one gives up its sandboxes. */
  use(environment: Environment): void {
    this.#used.delete(environment);
    this.#used.add(environment);
    this.#restOthers();
    this.#turns?.use(environment.id);
  }

  /** The user's environment of that name as the store has it now; null when there is none. */
  async read(name: string): Promise<EnvironmentRecord | null> {
    const record = parseRecord(await this.store.read(name), this.#deps.languages);
    if (record?.name === name) return record;
    this.forget(name);
    return null;
  }

  /** Every environment of the user, by name; makes `all` follow the store. */
  async list(): Promise<readonly EnvironmentRecord[]> {
    const found = await this.store.list();
    const records = found.flatMap((raw) => parseRecord(raw, this.#deps.languages) ?? []);
    records.sort((one, other) => (one.name < other.name ? -1 : 1));
    // What no person has agreed to gets no sandboxes.
    for (const record of records.filter(isConsented)) this.#adopt(record);
    const names = new Set(records.map(({ name }) => name));
    for (const name of [...this.#customs.keys()]) if (!names.has(name)) this.forget(name);
    return records;
  }

  /** Gives up the sandboxes of a user's environment, except those in use. */
  forget(name: string): void {
    const custom = this.#customs.get(name);
    if (!custom) return;
    this.#customs.delete(name);
    this.#used.delete(custom.environment);
    this.#replaced.push(custom.environment);
    custom.environment.rest();
    this.#onChange();
  }

  /** Destroys the sandboxes that were made from an environment of that name and replaced since; resolves when they are gone. */
  async drained(name: string): Promise<void> {
    const gone = this.#replaced.filter(({ id }) => id === name);
    await Promise.all(gone.map((environment) => environment.dispose()));
    for (const environment of gone) this.#replaced.splice(this.#replaced.indexOf(environment), 1);
  }

  configure(options: Options): void {
    this.#options = options;
    for (const environment of this.#every()) environment.configure(options);
    this.#restOthers();
  }

  /** Resolves when every sandbox is gone. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#turns?.dispose();
    await Promise.all(this.#every().map((environment) => environment.dispose()));
  }

  #every(): Environment[] {
    return [
      ...this.#defaults.values(),
      ...[...this.#customs.values()].map((one) => one.environment),
      ...this.#replaced,
    ];
  }

  async #names(): Promise<string[]> {
    return [...(await this.list()).map(({ name }) => name), ...this.#defaults.keys()];
  }

  #adopt(record: EnvironmentRecord): Environment {
    const known = this.#customs.get(record.name);
    if (known && isSame(known.record, record)) return known.environment;
    this.forget(record.name);
    const definition = this.#deps.languages.find(({ id }) => id === record.language);
    if (!definition) throw new Error(`${record.name} has no language.`);
    const { name: id, image, variables, network, lock } = record;
    const deps = { ...this.#deps, options: this.#options };
    const custom = { id, image, variables, network, lock };
    const environment = this.#follow(new Environment(definition, deps, this.#hosts, custom));
    // An engine that ends meanwhile must not start sandboxes.
    if (this.#disposed) void environment.dispose();
    this.#customs.set(id, { record, environment });
    this.#onChange();
    return environment;
  }

  #follow(environment: Environment): Environment {
    environment.onDidChange(this.#onChange);
    return environment;
  }

  #restOthers(): void {
    const used = [...this.#used];
    for (const environment of used.slice(0, Math.max(0, used.length - this.#options.environments.maxWarm))) {
      environment.rest();
      this.#used.delete(environment);
    }
  }
}

/** Whether two records of one name have the same sandboxes. A store that was edited by hand can have an old hash. */
function isSame(one: EnvironmentRecord, other: EnvironmentRecord): boolean {
  return isDeepStrictEqual(sandboxesOf(one), sandboxesOf(other));
}

function sandboxesOf({ language, image, variables, network, lock }: EnvironmentRecord) {
  return { language, image, variables, network, lock };
}
