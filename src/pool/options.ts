/** How a pool behaves; `pool.*` of the engine's options. */
export interface PoolOptions {
  /** Warm sandboxes kept beside those of sessions. */
  readonly size: number;
  /** An idle sandbox of this age is replaced, or only retired when the pool was not used for as long. */
  readonly maxAgeSeconds: number;
  readonly maxConcurrentCreations: number;
  /** `never` gives every lease a sandbox of its own. */
  readonly reuse: 'reset' | 'never';
  /** Whether sandboxes are made before the first lease and kept when nobody comes. */
  readonly prewarm: boolean;
  /** Requests that may wait; more are refused as `overloaded`. */
  readonly maxWaiting: number;
  /** Leases after which a sandbox is replaced. */
  readonly maxUses: number;
  readonly resetDeadlineMs: number;
}
