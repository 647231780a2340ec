import type { CellReport } from '../../engine/types.ts';
import type { CellNames } from './cellNames.ts';
import type { CellToRun } from './notebookSession.ts';

/** What is asked of a cell of the editor. */
interface Cell {
  readonly document: { readonly uri: { toString(): string }; getText(): string };
}

interface Cells<C extends Cell> {
  getCells(): readonly C[];
}

/** Which cells of its notebook a session has, and with which code, where the language keeps cells at their places. */
export class SessionCells {
  readonly #names: CellNames;
  readonly #codes = new Map<string, string>();

  constructor(names: CellNames) {
    this.#names = names;
  }

  /** A cell has run; one that was rejected changed nothing in the session. */
  ran({ name, code }: CellToRun, report: CellReport | null): void {
    if (report?.verdict === 'accepted' || report?.verdict === 'incomplete') this.#codes.set(name, code);
  }

  /** The cell of that name, if it holds what the session has. */
  find<C extends Cell>(notebook: Cells<C>, name: string): C | undefined {
    const cell = notebook.getCells().find((candidate) => this.#nameOf(candidate) === name);
    return cell && cell.document.getText() === this.#codes.get(name) ? cell : undefined;
  }

  /** Names of the session's cells that the notebook has no longer; each is told once. */
  takeDeleted(notebook: Cells<Cell>): readonly string[] {
    const present = new Set(notebook.getCells().map((cell) => this.#nameOf(cell)));
    const deleted = [...this.#codes.keys()].filter((name) => !present.has(name));
    for (const name of deleted) this.#codes.delete(name);
    return deleted;
  }

  /** The session is new. */
  clear(): void {
    this.#codes.clear();
  }

  #nameOf({ document }: Cell): string | undefined {
    return this.#names.find(document.uri.toString());
  }
}
