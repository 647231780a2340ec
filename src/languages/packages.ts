/** An install command in a cell, as in `%pip install -U seaborn`. */
export interface CellInstall {
  /** As written, for messages. */
  readonly command: string;
  /** Names of packages, with extras, versions and markers. Not yet validated. */
  readonly packages: readonly string[];
  /** Paths of packages that lie in the session's workspace. */
  readonly files: readonly string[];
  readonly upgrade: boolean;
  /** Whether the installer's progress is left out. */
  readonly quiet: boolean;
}

/** What a cell asks to install before it runs. */
export interface CellInstalls {
  readonly installs: readonly CellInstall[];
  /** The cell without these commands; each line keeps its number. */
  readonly code: string;
  /** Why one of the commands is not understood, one sentence; null when all are. */
  readonly problem: string | null;
  /**
   * They say what the code needs: what is there already is not installed again, and a run without a session may have it
   * from its environment.
   */
  readonly areReferences?: true;
}

/** How packages come into the sessions of a language. */
export interface LanguagePackages {
  /**
   * Names the rules for names of packages, and the program `images/installers/<manager>.py` that installs them: it runs
   * with Python in a container of the language's image.
   */
  readonly manager: 'pip' | 'npm' | 'nuget';
  /** What installs them; the first one is the default. */
  readonly tools: readonly string[];
  /** Whether an installation may run code of packages, as builds do. */
  readonly runsCode: boolean;
  /** What file names of packages end with, as in `.whl`. */
  readonly fileExtensions: readonly string[];
  /** The install commands in a cell; null where it has none. */
  installsIn(code: string): CellInstalls | null;
}
