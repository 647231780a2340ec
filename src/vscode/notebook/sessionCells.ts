import type { CellReport } from '../../engine/types.ts';
import { editorLanguage } from '../languages.ts';
import type { CellNames } from './cellNames.ts';
import type { CellToRun } from './notebookSession.ts';

/** The part of VS Code's `NotebookCell` that is used here. */
interface Cell {
  readonly document: { readonly uri: { toString(): string }; getText(): string };
}

interface Cells<C extends Cell> {
  getCells(): readonly C[];
}

/** The cells of a session, with their code, where the language keeps cells at their positions. */
export class SessionCells {
  readonly #names: CellNames;
  readonly #codes = new Map<string, string>();

  constructor(names: CellNames) {
    this.#names = names;
  }

  /** Records that a cell ran; a rejected cell changes nothing in the session. */
  ran({ name, code }: CellToRun, report: CellReport | null): void {
    if (report && editorLanguage(report.language).reports?.isAdded(report)) this.#codes.set(name, code);
  }

  /** The cell of that name, if its code is the session's. */
  find<C extends Cell>(notebook: Cells<C>, name: string): C | undefined {
    const cell = notebook.getCells().find((candidate) => this.#nameOf(candidate) === name);
    return cell && cell.document.getText() === this.#codes.get(name) ? cell : undefined;
  }

  /** Removes and returns the names of cells that the notebook no longer has. */
  takeDeleted(notebook: Cells<Cell>): readonly string[] {
    const present = new Set(notebook.getCells().map((cell) => this.#nameOf(cell)));
    const deleted = [...this.#codes.keys()].filter((name) => !present.has(name));
    for (const name of deleted) this.#codes.delete(name);
    return deleted;
  }

  /** Forgets all cells, for a new session. */
  clear(): void {
    this.#codes.clear();
  }

  #nameOf({ document }: Cell): string | undefined {
    return this.#names.find(document.uri.toString());
  }
}
