/** Runs after which a module that none of them needed is no longer preloaded into sandboxes that are made then. */
const MEMORY = 200;

/** Which of the modules that may be preloaded the runs of an engine need. Until it has seen enough runs, all of them. */
export class ModuleUse {
  /** Top-level name → number of the last run that needed it. */
  readonly #lastRuns = new Map<string, number>();
  #lastUnlisted = 0;
  #runs = 0;

  /** Counts a run that needs the modules with these top-level names; null: it may need any. */
  note(needed: ReadonlySet<string> | null, listed: readonly string[]): void {
    this.#runs += 1;
    const roots = new Set(listed.map(rootOf));
    for (const root of needed ?? []) {
      if (roots.has(root)) this.#lastRuns.set(root, this.#runs);
      // It may import listed modules in turn.
      else this.#lastUnlisted = this.#runs;
    }
    if (needed === null) this.#lastUnlisted = this.#runs;
  }

  /** Those of the modules that recent runs have needed, in their order. */
  wanted(modules: readonly string[]): readonly string[] {
    const since = this.#runs - MEMORY;
    if (since < 0 || this.#lastUnlisted > since) return modules;
    return modules.filter((name) => (this.#lastRuns.get(rootOf(name)) ?? 0) > since);
  }
}

function rootOf(module: string): string {
  const [root = module] = module.split('.');
  return root;
}
