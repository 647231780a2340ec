import type { Memento, Uri } from 'vscode';
import type { SavedCell } from './savedCells.ts';

const KEY = 'hothouse.notebooks';

/** What a notebook needs besides its session's record to continue in another window. */
export interface SavedNotebook {
  readonly sessionId: string;
  readonly language: string;
  /** The latest execution order. */
  readonly order: number;
  /** The cells that have run. */
  readonly cells: readonly SavedCell[];
}

type All = Readonly<Record<string, SavedNotebook>>;

/** The notebooks of this workspace that have a session, in the workspace's state. */
export class SavedNotebooks {
  readonly #state: Memento;

  constructor(state: Memento) {
    this.#state = state;
  }

  get all(): readonly SavedNotebook[] {
    return Object.values(this.#notebooks);
  }

  get(uri: Uri): SavedNotebook | undefined {
    return this.#notebooks[uri.toString()];
  }

  set(uri: Uri, notebook: SavedNotebook): void {
    this.#write({ ...this.#notebooks, [uri.toString()]: notebook });
  }

  delete(uri: Uri): void {
    const { [uri.toString()]: deleted, ...others } = this.#notebooks;
    if (deleted) this.#write(others);
  }

  deleteSession(id: string): void {
    this.#write(Object.fromEntries(Object.entries(this.#notebooks).filter(([, { sessionId }]) => sessionId !== id)));
  }

  get #notebooks(): All {
    return this.#state.get<All>(KEY, {});
  }

  #write(notebooks: All): void {
    void this.#state.update(KEY, notebooks);
  }
}
