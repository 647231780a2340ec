/** A file of a module as Lean has compiled it. */
export interface CompiledFile {
  /** Its ending: `.olean`, or that of a further part of a `module`. */
  readonly suffix: string;
  readonly bytes: Uint8Array;
}

/** What came of replaying the compiled file. */
export interface Replay {
  /** The program that answered; null where the toolchain brings none, or it did not come to run. */
  readonly checker: string | null;
  /**
   * `accepted` and `rejected` are the checker's words. `unavailable`: the toolchain has no checker. `failed`: the code was
   * not compiled, or the checker did not end.
   */
  readonly outcome: 'accepted' | 'rejected' | 'unavailable' | 'failed';
  /** What the checker has printed, or why there is no answer. */
  readonly text: string;
}
