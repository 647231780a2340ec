/** A program that a language of Hothouse replaces: its configuration is read. */
export interface ReplacedProgram {
  /** As its folder and its variables spell it. */
  readonly name: string;
  /**
   * Settings that only this program has, or whose option is the language's own: `group.key`, or the key of a whole group, of
   * its file. What all such programs share is in `config/optionMapping.ts`.
   */
  readonly settings: Readonly<Record<string, ReplacedSetting>>;
}

/** What a setting of a replaced program means here. */
export type ReplacedSetting =
  | {
      readonly option: string;
      /** An amount of memory as Docker spells it, for an option in MB. */
      readonly isMemory?: boolean;
    }
  | {
      /** Ignored, as a note says with what holds instead. */
      readonly instead: string;
    };
