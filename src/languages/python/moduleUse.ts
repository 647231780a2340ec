/** Runs after which a module that none of them needed is no longer preloaded. */
const MEMORY = 200;
/** Owners that are remembered: those that have run something last. */
const MAX_OWNERS = 100;

/**
 * Which of the modules that may be preloaded are needed: by the runs of each owner, and by all runs of an engine. Until
 * enough runs were seen, all of them.
 */
export class ModuleUse {
  readonly #all = new Uses();
  readonly #owners = new Map<string, Uses>();

  /** Counts a run that needs the modules with these top-level names; null: it may need any. `owner` is an owner's id. */
  note(needed: ReadonlySet<string> | null, listed: readonly string[], owner?: string): void {
    this.#all.note(needed, listed);
    if (owner === undefined) return;
    const own = this.#owners.get(owner) ?? new Uses();
    own.note(needed, listed);
    // The last one comes last.
    this.#owners.delete(owner);
    this.#owners.set(owner, own);
    const [oldest = owner] = this.#owners.keys();
    if (this.#owners.size > MAX_OWNERS) this.#owners.delete(oldest);
  }

  /**
   * Those of the modules that recent runs of the owner have needed, in their order; those that anyone's have needed where
   * the owner has few, and for a sandbox without an owner.
   */
  wanted(modules: readonly string[], owner?: string): readonly string[] {
    const own = owner === undefined ? undefined : this.#owners.get(owner);
    return own?.isEnough ? own.wanted(modules) : this.#all.wanted(modules);
  }
}

class Uses {
  /** Top-level name → number of the last run that needed it. */
  readonly #lastRuns = new Map<string, number>();
  #lastUnlisted = 0;
  #runs = 0;

  get isEnough(): boolean {
    return this.#runs >= MEMORY;
  }

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

  wanted(modules: readonly string[]): readonly string[] {
    const since = this.#runs - MEMORY;
    if (!this.isEnough || this.#lastUnlisted > since) return modules;
    return modules.filter((name) => (this.#lastRuns.get(rootOf(name)) ?? 0) > since);
  }
}

function rootOf(module: string): string {
  const [root = module] = module.split('.');
  return root;
}
