/**
 * Names of a notebook's cells in its session: numbers in the order of first runs. A cell is identified by the URI of its
 * document. Saving an untitled notebook changes every URI; cells keep their names.
 */
export class CellNames {
  #names = new Map<string, string>();
  #count = 0;

  /** The cell's name, assigned at the first call. */
  of(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    this.#count += 1;
    const name = String(this.#count);
    this.#names.set(address, name);
    return name;
  }

  /** The cell's name, if it has one. */
  find(address: string): string | undefined {
    return this.#names.get(address);
  }

  /** Takes over names that an earlier window has assigned, as address → name. */
  restore(names: ReadonlyMap<string, string>): void {
    this.#names = new Map(names);
    this.#count = Math.max(0, ...[...names.values()].map(Number));
  }

  /** Moves names from the cells in `before` to the cells at the same indexes in `after`. */
  move(before: readonly string[], after: readonly string[]): void {
    const names = before.map((address) => this.#names.get(address));
    const moved = after.map((address, index): [string, string | undefined] => [address, names[index]]);
    this.#names = new Map(moved.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}
