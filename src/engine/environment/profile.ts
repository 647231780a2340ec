import type { LeanSettings } from '../../languages/lean/settings.ts';
import { headerKey, parseHeader } from '../../languages/lean/text/header.ts';
import type { Options } from '../options.ts';
import type { LanguageId } from '../types.ts';

/** Of a sandbox's memory, what a worker of Lean may use unless the options say otherwise. */
const WORKER_SHARE = 0.75;

/** The image of a language's default environment. */
export function imageOf(options: Options, language: LanguageId): string {
  return options[language].image;
}

/** Memory of a language's sandboxes in MB. */
export function memoryMbOf(options: Options, language: LanguageId): number {
  return memoryOf(options, language).mb;
}

/** CPUs of a language's sandboxes. */
export function cpusOf({ limits, lean }: Options, language: LanguageId): number {
  return language === 'lean' ? lean.cpus : limits.cpus;
}

/** A limit of memory in MB, and the option that sets it. */
export interface MemoryLimit {
  readonly mb: number;
  readonly option: string;
}

/** The limit for a language's sandboxes. */
export function memoryOf({ limits, lean }: Options, language: LanguageId): MemoryLimit {
  return language === 'lean'
    ? { mb: lean.memoryMb, option: 'lean.memoryMb' }
    : { mb: limits.memoryMb, option: 'limits.memoryMb' };
}

/** Which pools a language's environment has. */
export interface PoolKeys {
  /** Those that are warm from the first use on, or from the start with `pool.prewarm`. */
  readonly prewarmed: readonly string[];
  /** How many are kept warm at the same time. */
  readonly max: number;
}

/** The pools that the options ask for: Lean has one for each header, the others have one. */
export function poolKeysOf({ lean }: Options, language: LanguageId): PoolKeys {
  if (language !== 'lean') return { prewarmed: [''], max: 1 };
  const keys = lean.prewarmHeaders.map((text) => headerKey(parseHeader(text)));
  return { prewarmed: [...new Set(keys)], max: lean.maxHeaders };
}

/** What Lean is told of the options. */
export function leanSettings(options: Options): LeanSettings {
  const { allowedImports, blockedImports, reuse, memoryMb, workerMemoryMb } = options.lean;
  const workerMb = workerMemoryMb === 0 ? memoryMb * WORKER_SHARE : workerMemoryMb;
  return { allowedImports, blockedImports, reuse, workerMemoryBytes: workerMb * 1024 * 1024 };
}
