const ROOTS = ['/workspace', '/tmp'];

/** A file, or a folder where `content` is null. */
export interface FakeNode {
  readonly content: Buffer | null;
  /** When it was written, in ticks of this sandbox. */
  readonly changedAt: number;
}

/** The writable places of a fake sandbox: absolute paths and what is there. */
export class FakeFiles {
  readonly #nodes = new Map<string, FakeNode>();
  #now = 1;
  #taints: string[] = [];

  constructor() {
    this.wipe();
  }

  /** A time after every write so far. */
  tick(): number {
    this.#now += 1;
    return this.#now;
  }

  get isEmpty(): boolean {
    return [...this.#nodes.keys()].every((path) => ROOTS.includes(path));
  }

  node(path: string): FakeNode | null {
    return this.#nodes.get(path) ?? null;
  }

  /** Writes a file whose folder exists. */
  write(path: string, content: Buffer): void {
    this.#nodes.set(path, { content, changedAt: this.#now });
  }

  makeFolder(path: string): void {
    this.#nodes.set(path, { content: null, changedAt: this.#now });
  }

  remove(path: string): void {
    this.#nodes.delete(path);
  }

  /** Everything below a folder: paths relative to it in the order of their names, folders before what is in them. */
  below(folder: string): readonly (readonly [string, FakeNode])[] {
    const inside = [...this.#nodes].filter(([path]) => path.startsWith(`${folder}/`));
    const key = (path: string) => path.split('/').join('\u0000');
    return inside
      .map(([path, node]) => [path.slice(folder.length + 1), node] as const)
      .sort(([a], [b]) => (key(a) < key(b) ? -1 : 1));
  }

  /** Whether anything in the workspace was written at that tick or later. */
  hasChanged(since: number): boolean {
    return this.below('/workspace').some(([, { changedAt }]) => changedAt >= since);
  }

  /** What the file holds; null where there is none. */
  read(path: string): Buffer | null {
    return this.node(path)?.content ?? null;
  }

  isFolder(path: string): boolean {
    return this.node(path)?.content === null;
  }

  /** Leaves something that the next reset finds and cannot remove. */
  taint(what: string): void {
    this.#taints.push(what);
  }

  /** Removes every file; what is left. */
  wipe(): readonly string[] {
    this.#nodes.clear();
    for (const root of ROOTS) this.makeFolder(root);
    return this.#taints;
  }
}
