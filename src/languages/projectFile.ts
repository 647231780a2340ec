/** Packages that a file of a project names. */
export interface FoundPackages {
  /** As the language's package manager spells them; not validated. */
  readonly packages: readonly string[];
  /** Entries that were not taken, with the reason in parentheses. */
  readonly leftOut: readonly string[];
}

/** A file in which projects of a language name their packages. */
export interface ProjectFile {
  /** Its name, in the folder of the project. */
  readonly file: string;
  readonly format: 'text' | 'json' | 'toml' | 'yaml';
  /** Reads its content: text as it is, the other formats parsed. Takes anything. */
  read(content: unknown): FoundPackages;
}
