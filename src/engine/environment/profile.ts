import type { LanguageDefinition, PoolKeys } from '../../languages/languageDefinition.ts';
import { languageOptions, type Options } from '../options.ts';

/** A limit of memory in MB, and the option that sets it. */
export interface MemoryLimit {
  readonly mb: number;
  readonly option: string;
}

/** An environment that a user has defined, as far as its sandboxes are concerned. */
export interface CustomEnvironment {
  readonly id: string;
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The options of a language's environment: its own where it has them, otherwise the general ones. */
export interface Profile {
  /** Label of its containers. */
  readonly environment: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly image: string;
  readonly memory: MemoryLimit;
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
  return {
    environment: custom?.id ?? language.id,
    image: custom?.image ?? own.image,
    variables: custom?.variables ?? {},
    memory:
      own.memoryMb === undefined
        ? { mb: limits.memoryMb, option: 'limits.memoryMb' }
        : { mb: own.memoryMb, option: `${language.id}.memoryMb` },
    cpus: own.cpus ?? limits.cpus,
    poolKeys: language.poolKeys?.(own) ?? ONE_POOL,
    warmOptions: language.warmOptions?.(own) ?? null,
  };
}
