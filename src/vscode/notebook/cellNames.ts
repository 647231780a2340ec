/**
 * Names of a notebook's cells in its session: numbers in the order of their first runs, since people read them. A cell is
 * known by the address of its document; when the notebook is saved as a file every cell gets another address, and keeps
 * its name.
 */
export class CellNames {
  #names = new Map<string, string>();
  #given = 0;

  /** The cell's name, given at the first call. */
  of(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    this.#given += 1;
    const name = String(this.#given);
    this.#names.set(address, name);
    return name;
  }

  /** The cell's name if it has one. */
  find(address: string): string | undefined {
    return this.#names.get(address);
  }

  /** Gives the names of the cells at `before` to those at the same places in `after`. */
  move(before: readonly string[], after: readonly string[]): void {
    const names = before.map((address) => this.#names.get(address));
    const moved = after.map((address, index): [string, string | undefined] => [address, names[index]]);
    this.#names = new Map(moved.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}
