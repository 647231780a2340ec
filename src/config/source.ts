import type { Options } from '../engine/options.ts';

/** Values from one place, spelled as nested objects, as dotted keys or as both. */
export interface OptionSource {
  /** For people: `~/.hothouse/config.yaml`, `HOTHOUSE_POOL_SIZE`. */
  readonly name: string;
  readonly values: unknown;
  /** Values are text, as in variables and on the command line; `"4"` is then a number where an option needs one. */
  readonly text?: boolean;
}

/** The environment variables of this process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A sentence about a configuration. An important one is shown at each start, the others by the doctor. */
export interface Note {
  readonly text: string;
  readonly important: boolean;
}

/** A note that depends on the resolved options; its text is null when it does not apply. */
export interface PendingNote {
  readonly text: (options: Options) => string | null;
  readonly important: boolean;
}

/** Sources found, the strongest first. */
export interface FoundSources {
  readonly sources: readonly OptionSource[];
  /** Configuration files that were read. */
  readonly files: readonly string[];
  /** Invalid content, one sentence each. */
  readonly problems: readonly string[];
  readonly notes?: readonly PendingNote[];
  /** Images that another program names; they count with `profiles.useImage` alone. */
  readonly images?: readonly OptionSource[];
}
