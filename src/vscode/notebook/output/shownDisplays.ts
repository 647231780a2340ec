import type { NotebookCellOutput } from 'vscode';

/** More than a notebook has in use; a progress bar that is run again and again leaves one behind each time. */
const MAX_SHOWN = 2_000;

/** Outputs of a notebook that runs may update later, by the display's id; the oldest make way. */
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
