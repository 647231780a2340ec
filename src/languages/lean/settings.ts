/** How Lean's code is treated; `lean.*` of the engine's options. */
export interface LeanSettings {
  /** Modules that may be imported, with what is below them; empty means all. */
  readonly allowedImports: readonly string[];
  /** Modules that may not be imported, with what is below them. */
  readonly blockedImports: readonly string[];
  /** `worker`: a worker that has checked code goes back to its header; `sandbox`: it is replaced. */
  readonly reuse: 'worker' | 'sandbox';
  /** A worker whose sandbox uses more than this is replaced. */
  readonly workerMemoryBytes: number;
}
