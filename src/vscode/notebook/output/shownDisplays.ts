import type { NotebookCellOutput } from 'vscode';

/** More than a notebook uses; each run of a progress bar adds one. */
const MAX_SHOWN = 2_000;

/** Display id → output that later runs may update. Evicts the oldest. */
export class ShownDisplays {
  readonly #outputs = new Map<string, NotebookCellOutput>();

  get(id: string): NotebookCellOutput | undefined {
    return this.#outputs.get(id);
  }

  set(id: string, output: NotebookCellOutput): void {
    this.#outputs.set(id, output);
    const [oldest] = this.#outputs.keys();
    if (oldest !== undefined && this.#outputs.size > MAX_SHOWN) this.#outputs.delete(oldest);
  }

  delete(id: string): void {
    this.#outputs.delete(id);
  }

  clear(): void {
    this.#outputs.clear();
  }
}
