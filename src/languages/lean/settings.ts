/** Settings for running Lean code: `lean.*` of the engine's options. */
export interface LeanSettings {
  /** Modules that may be imported, submodules included; an empty list allows every module. */
  readonly allowedImports: readonly string[];
  /** Modules that may not be imported, submodules included. */
  readonly blockedImports: readonly string[];
  /** After a check, `worker` resets the worker to its header, and `sandbox` replaces its sandbox. */
  readonly reuse: 'worker' | 'sandbox';
  /** A worker is replaced when its sandbox uses more memory than this. */
  readonly workerMemoryBytes: number;
}
