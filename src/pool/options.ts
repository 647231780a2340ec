/** How a pool behaves; `pool.*` of the engine's options. */
export interface PoolOptions {
  /** Warm sandboxes kept beside those of sessions. */
  readonly size: number;
  /** An idle sandbox is replaced this long after its first use. A pool that was not used for as long shrinks. */
  readonly maxAgeSeconds: number;
  /** Warm sandboxes that a pool keeps when it is not used, for whoever comes next. */
  readonly minIdle: number;
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
