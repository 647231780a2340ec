import type { LanguageDefinition, LanguageOptions, PoolKeys } from '../../languages/languageDefinition.ts';
import type { EnvironmentNetwork } from '../network/environmentNetwork.ts';
import { languageOptions, type Options } from '../options.ts';
import { definitionHash, type EnvironmentDefinition, type EnvironmentLock, environmentImage } from './definition.ts';

/** A limit of memory in MB, and the option that sets it; null where a run has asked for it. */
export interface MemoryLimit {
  readonly mb: number;
  readonly option: string | null;
}

/** An environment that a user has defined, as far as its sandboxes are concerned. */
export interface CustomEnvironment {
  readonly id: string;
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly network: EnvironmentNetwork;
  readonly lock: EnvironmentLock;
}

/** The options of a language's environment: its own where it has them, otherwise the general ones. */
export interface Profile {
  /** Label of its containers. */
  readonly environment: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly image: string;
  /** The image that `image` is built on where the options add packages to it, and what is added. */
  readonly base: string;
  readonly added: EnvironmentDefinition | null;
  readonly memory: MemoryLimit;
  /** That of a person's notebook. */
  readonly notebookMemory: MemoryLimit;
  readonly cpus: number;
  readonly poolKeys: PoolKeys;
  /** The language options that warm sandboxes depend on. */
  readonly warmOptions: unknown;
}

const ONE_POOL: PoolKeys = { prewarmed: [''], max: 1 };

/** The profile of a language's default environment, or of a user's. */
export function profileOf(language: LanguageDefinition, options: Options, custom?: CustomEnvironment): Profile {
  const own = languageOptions(language, options);
  const { limits } = options;
  const memory =
    own.memoryMb === undefined
      ? { mb: limits.memoryMb, option: 'limits.memoryMb' }
      : { mb: own.memoryMb, option: `${language.id}.memoryMb` };
  const isNotebookLarger = own.memoryMb === undefined && limits.notebookMemoryMb > limits.memoryMb;
  const added = custom ? null : addedPackages(language, own);
  return {
    environment: custom?.id ?? language.id,
    image: custom?.image ?? (added ? environmentImage(definitionHash(added)) : own.image),
    base: own.image,
    added,
    variables: custom?.variables ?? {},
    memory,
    notebookMemory: isNotebookLarger ? { mb: limits.notebookMemoryMb, option: 'limits.notebookMemoryMb' } : memory,
    cpus: own.cpus ?? limits.cpus,
    poolKeys: language.poolKeys?.(own) ?? ONE_POOL,
    warmOptions: language.warmOptions?.(own) ?? null,
  };
}

/** The environment that the options of a language make of its own by adding packages, not validated; null without any. */
function addedPackages({ id, packageManager }: LanguageDefinition, own: LanguageOptions): EnvironmentDefinition | null {
  const { image, packages = [] } = own;
  if (!packageManager || packages.length === 0) return null;
  const lists = { pip: [], npm: [], nuget: [], apt: [], [packageManager]: [...packages] };
  return { name: `${id}-packages`, language: id, base: image, packages: lists, variables: {}, network: 'packages' };
}
