import type { EngineDependencies } from '../deps.ts';
import { isConsented, NetworkConsent } from '../network/consent.ts';
import { formatEnvironmentNetwork, needsConsent } from '../network/environmentNetwork.ts';
import { languageOptions, type Options } from '../options.ts';
import {
  agentsDenied,
  agentsNeedApproval,
  environmentInUse,
  environmentTaken,
  invalidRequest,
  needsNetworkConsent,
  problemOf,
  unknownEnvironment,
} from '../problems.ts';
import type { Session } from '../session/session.ts';
import { isVisible } from '../session/viewer.ts';
import type { EngineProblem, Owner, Result } from '../types.ts';
import {
  definitionHash,
  type EnvironmentDefinition,
  type EnvironmentInput,
  EnvironmentLock,
  type EnvironmentRecord,
  formatDefinitionProblem,
  parseDefinition,
} from './definition.ts';
import { type EnvironmentBuildRequest, EnvironmentBuilds } from './environmentBuilds.ts';
import type { EnvironmentSet } from './environmentSet.ts';
import type { HostManager } from './hostManager.ts';

const MAX_ENVIRONMENTS = 200;
const MINUTE_MS = 60_000;
const MEGABYTE = 1_048_576;

/** How an environment is created. */
export interface CreateEnvironment {
  /** What it was built from before: exactly that is installed again. */
  readonly lock?: unknown;
  /** Replaces another environment of that name. */
  readonly replace?: boolean;
  /** Who asks for it; people when left out. Agents may be refused. */
  readonly by?: Owner;
  /** A person has agreed to what an agent asks for. */
  readonly isApproved?: boolean;
  /** What a person has agreed to, for a definition whose code reaches hosts; needed from everyone. */
  readonly consent?: NetworkConsent | undefined;
  /** Gets the output of the build; nothing where the image is there already. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The environments that the user has defined. */
export interface Environments {
  /**
   * Builds an environment and keeps it under its name. The same content again is instant. Resolves with the problem
   * when the definition is invalid, the name is taken, or the build failed; then nothing is kept.
   */
  create(input: EnvironmentInput, how?: CreateEnvironment): Promise<Result<EnvironmentRecord>>;
  /** All of them, by name. */
  list(): Promise<readonly EnvironmentRecord[]>;
  find(name: string): Promise<Result<EnvironmentRecord>>;
  /** Removes it and its image; refused while a session runs in it. */
  remove(name: string): Promise<Result<EnvironmentRecord>>;
}

/** What a catalog works with. */
export interface CatalogDependencies {
  readonly deps: EngineDependencies;
  readonly set: EnvironmentSet;
  readonly hosts: HostManager;
  readonly options: () => Options;
  /** The sessions that run in an environment. */
  readonly sessionsIn: (environment: string) => readonly Pick<Session, 'id' | 'owner' | 'isShared'>[];
}

/** Creates, lists and removes the environments of an engine. */
export class Catalog implements Environments {
  readonly #given: CatalogDependencies;
  readonly #builds: EnvironmentBuilds;

  constructor(given: CatalogDependencies) {
    this.#given = given;
    this.#builds = new EnvironmentBuilds(given.deps);
  }

  async create(input: EnvironmentInput, how: CreateEnvironment = {}): Promise<Result<EnvironmentRecord>> {
    const { deps, set, hosts, options } = this.#given;
    const { definition, problems } = parseDefinition(input, deps.languages);
    if (!definition)
      return refused(
        invalidRequest(`The environment is not valid: ${problems.map(formatDefinitionProblem).join(' ')}`, FIX),
      );
    const lock = EnvironmentLock.optional().safeParse(how.lock);
    if (!lock.success) return refused(invalidRequest(`The lock is not valid: ${lock.error.issues[0]?.message}`, FIX));
    const { base, ...pins } = lock.data ?? { base: '' };
    const hash = definitionHash(definition, lock.data && JSON.stringify(pins));
    const consent = await this.#consentTo(definition, how);
    const problem =
      (await this.#taken(definition.name, hash, how)) ??
      (await this.#denied(definition.name, hash, how, consent === null ? unconsented(definition) : null));
    if (problem) return refused(problem);
    const language = deps.languages.find(({ id }) => id === definition.language);
    const own = language ? languageOptions(language, options()).image : '';
    const request = {
      host: hosts.current,
      definition,
      base: definition.base || own,
      hash,
      lock: lock.data,
      ...buildSettings(options()),
    };
    const built = await this.#builds.build(request, how.onLine ?? (() => {}), how.signal);
    if (!built.ok) return built;
    const agreed = typeof consent === 'string' && { consent };
    const record = { ...definition, hash, ...built.value, ...agreed, createdAt: Date.now() };
    const replaced = await set.read(definition.name);
    try {
      await set.store.put(definition.name, record);
    } catch (error) {
      return refused(problemOf(error));
    }
    await this.list();
    if (replaced && replaced.image !== record.image) await this.#removeImage(replaced).catch(() => {});
    return { ok: true, value: record };
  }

  /** Builds the image of a language's own environment with packages that the options add; the tag of the image. */
  async addPackages(
    added: EnvironmentDefinition,
    onLine: (line: string) => void,
    signal?: AbortSignal,
  ): Promise<Result<string>> {
    const { deps, hosts, options } = this.#given;
    const { definition, problems } = parseDefinition(added, deps.languages);
    if (!definition) {
      const text = problems.map(({ message }) => message).join(' ');
      return refused(invalidRequest(`The option ${added.language}.packages is not valid: ${text}`, FIX));
    }
    const { base } = added;
    const what = { host: hosts.current, definition, base, hash: definitionHash(added), lock: undefined };
    const request = { ...what, ...buildSettings(options()) };
    const built = await this.#builds.build(request, onLine, signal);
    return built.ok ? { ok: true, value: built.value.image } : built;
  }

  list(): Promise<readonly EnvironmentRecord[]> {
    return this.#given.set.list();
  }

  async find(name: string): Promise<Result<EnvironmentRecord>> {
    const record = await this.#given.set.read(name);
    if (record) return { ok: true, value: record };
    const known = (await this.list()).map((one) => one.name);
    return refused(unknownEnvironment(name, known));
  }

  async remove(name: string): Promise<Result<EnvironmentRecord>> {
    const { set, sessionsIn } = this.#given;
    const found = await this.find(name);
    if (!found.ok) return found;
    const sessions = sessionsIn(name);
    if (sessions.length > 0) return refused(environmentInUse(name, visibleIds(sessions)));
    try {
      await set.store.remove(name);
      await this.#removeImage(found.value);
    } catch (error) {
      return refused(problemOf(error));
    }
    return found;
  }

  /** Removes the image of an environment that is no longer kept, unless another one has the same. */
  async #removeImage({ name, image }: EnvironmentRecord): Promise<void> {
    const { set, hosts } = this.#given;
    const others = await this.list();
    // Its idle sandboxes end in the background, and an image in use cannot be removed.
    await set.drained(name);
    if (!others.some((other) => other.image === image)) await hosts.current.images?.remove(image);
  }

  /**
   * The digest of the consent that a definition needs, given now or kept from before; null where it lacks one, undefined
   * where it needs none.
   */
  async #consentTo(
    definition: EnvironmentDefinition,
    { consent }: CreateEnvironment,
  ): Promise<string | null | undefined> {
    if (!needsConsent(definition.network)) return undefined;
    const given = NetworkConsent.digestFor(definition, consent);
    if (given !== null) return given;
    const kept = await this.#given.set.read(definition.name);
    return (kept?.consent && isConsented({ ...kept, ...definition }) && kept.consent) || null;
  }

  /** Why it may not be created: `missing` is the consent that it lacks. Agents may need more, except for what is there. */
  async #denied(
    name: string,
    hash: string,
    { by, isApproved }: CreateEnvironment,
    missing: EngineProblem | null,
  ): Promise<EngineProblem | null> {
    const { agents } = this.#given.options().environments;
    const isAgents = by?.kind === 'mcp' && agents !== 'allow' && (await this.#given.set.read(name))?.hash !== hash;
    if (isAgents && agents === 'deny') return agentsDenied();
    if (missing) return missing;
    return isAgents && !isApproved ? agentsNeedApproval() : null;
  }

  async #taken(name: string, hash: string, { replace = false, by }: CreateEnvironment): Promise<EngineProblem | null> {
    const { set, sessionsIn } = this.#given;
    const existing = await set.read(name);
    if (!existing) {
      const isFull = (await this.list()).length >= MAX_ENVIRONMENTS;
      return isFull ? invalidRequest(`There are ${MAX_ENVIRONMENTS} environments.`, 'Remove one.') : null;
    }
    if (existing.hash === hash) return null;
    if (!replace) return environmentTaken(name);
    const sessions = sessionsIn(name);
    return sessions.length > 0 ? environmentInUse(name, visibleIds(sessions, by)) : null;
  }
}

/** Ids of the sessions that an owner sees; without one, of all. */
function visibleIds(sessions: ReturnType<CatalogDependencies['sessionsIn']>, by?: Owner): string[] {
  return sessions.filter((session) => by === undefined || isVisible(session, by)).map(({ id }) => id);
}

function unconsented({ name, network }: EnvironmentDefinition): EngineProblem {
  return needsNetworkConsent(name, formatEnvironmentNetwork(network));
}

const FIX = 'Correct it and try again.';

type BuildSettings = Pick<EnvironmentBuildRequest, 'packages' | 'deadlineMs' | 'cacheBytes'>;

function buildSettings({ environments, packages }: Options): BuildSettings {
  return {
    packages,
    deadlineMs: environments.buildMinutes * MINUTE_MS,
    cacheBytes: environments.cacheMb * MEGABYTE,
  };
}

function refused(error: EngineProblem): Extract<Result<never>, { ok: false }> {
  return { ok: false, error };
}
