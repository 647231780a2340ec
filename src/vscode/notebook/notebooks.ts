import path from 'node:path';
import { type NotebookDocument, type Uri, workspace } from 'vscode';
import { type Disposable, DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { EngineProblem, LanguageId, Result, SessionInfo } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';
import { CellNames } from './cellNames.ts';
import { CellQueue } from './cellQueue.ts';
import { CellDiagnostics } from './language/diagnostics.ts';
import { CLOSED, NotebookSession } from './notebookSession.ts';

// Saving an untitled notebook opens the file and closes the other; the file may be empty at first.
const MOVE_MS = 1_000;

/** A notebook that has run something with our kernel. */
export interface ActiveNotebook {
  readonly session: NotebookSession;
  readonly queue: CellQueue;
  readonly names: CellNames;
}

/** What notebooks report, and where. */
export interface NotebooksDependencies {
  /** Gets what kept a session from being opened. */
  readonly onProblem: (problem: EngineProblem, language: LanguageId) => void;
  /** Gets a file that took over an untitled one's session. */
  readonly onMoved: (notebook: NotebookDocument, language: LanguageId) => void;
  /** Gets a notebook whose session was lost while none of its cells ran, once; `reason` as in `it ran out of memory`. */
  readonly onLost: (notebook: NotebookDocument, reason: string) => void;
}

interface Entry extends ActiveNotebook {
  notebook: NotebookDocument;
  /** Why its session is lost, since that was reported. */
  reported: string | null;
  /** Set while it is not known whether the notebook is gone or is being saved as a file. */
  leaving?: NodeJS.Timeout;
}

/** The notebooks that use our kernels, each with its session; a closed notebook's session ends. */
export class Notebooks implements Disposable {
  readonly #handle: EngineHandle;
  readonly #deps: NotebooksDependencies;
  readonly #entries = new Set<Entry>();
  readonly #subscriptions = new DisposableStack();
  readonly #diagnostics = this.#subscriptions.add(new CellDiagnostics());

  constructor(handle: EngineHandle, deps: NotebooksDependencies) {
    this.#handle = handle;
    this.#deps = deps;
    this.#subscriptions.add(handle.onDidChange(() => this.#reportLosses()));
    this.#subscriptions.add(workspace.onDidCloseNotebookDocument((notebook) => this.release(notebook)));
    this.#subscriptions.add(toDisposable(() => this.#stopTimers()));
  }

  /** The notebook's entry, made at its first run in this language; a session in another language ends. */
  of(notebook: NotebookDocument, language: LanguageId): ActiveNotebook {
    const known = [...this.#entries].find((entry) => entry.notebook === notebook);
    if (known?.session.language === language) {
      this.#stay(known);
      return known;
    }
    if (known) void this.#end(known);
    return this.#add(notebook, language);
  }

  find(uri: Uri): ActiveNotebook | undefined {
    return this.#entry(uri);
  }

  bySession(id: string): ActiveNotebook | undefined {
    return [...this.#entries].find(({ session }) => session.info?.id === id);
  }

  /** The open document that the session belongs to. */
  documentOf(sessionId: string): NotebookDocument | undefined {
    return [...this.#entries].find(({ session, leaving }) => session.info?.id === sessionId && !leaving)?.notebook;
  }

  /** The present name of the notebook that the session belongs to. */
  labelOf(sessionId: string): string | undefined {
    const document = this.documentOf(sessionId);
    return document && path.basename(document.uri.path);
  }

  /** The user closes the session, and does not have to hear of it. */
  expectClose(sessionId: string): void {
    for (const entry of this.#entries) if (entry.session.info?.id === sessionId) entry.reported = CLOSED;
  }

  /** Gives the notebook a new interpreter; null when it has no session. Cells that wait are dropped. */
  async restart({ queue, session }: ActiveNotebook): Promise<Result<SessionInfo> | null> {
    queue.drop();
    return session.restart();
  }

  /** The notebook does not use this language's kernel any more, or none at all: its session ends, soon at the latest. */
  release(notebook: NotebookDocument, language?: LanguageId): void {
    const entry = this.#entry(notebook.uri);
    if (!entry || (language !== undefined && entry.session.language !== language)) return;
    if (!notebook.isUntitled) return void this.#end(entry);
    if (this.#move(entry)) return;
    entry.leaving = setTimeout(() => {
      if (!this.#move(entry)) void this.#end(entry);
    }, MOVE_MS);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #entry(uri: Uri): Entry | undefined {
    return [...this.#entries].find((entry) => !entry.leaving && entry.notebook.uri.toString() === uri.toString());
  }

  #add(notebook: NotebookDocument, language: LanguageId): Entry {
    const name = path.basename(notebook.uri.path);
    const session = new NotebookSession(this.#handle, language, {
      id: `notebook/${notebook.uri}`,
      kind: 'notebook',
      label: name,
    });
    const names = new CellNames();
    const { onProblem } = this.#deps;
    const queue = new CellQueue({ session, names, diagnostics: this.#diagnostics, onProblem });
    const entry: Entry = { notebook, session, names, queue, reported: null };
    this.#entries.add(entry);
    return entry;
  }

  /** Gives the session of an untitled notebook to the file that it was just saved as, if there is one. */
  #move(entry: Entry): boolean {
    const content = contentOf(entry.notebook);
    const file = workspace.notebookDocuments.find(
      (notebook) => !notebook.isUntitled && !this.find(notebook.uri) && contentOf(notebook) === content,
    );
    if (!file) return false;
    this.#stay(entry);
    entry.names.move(addressesOf(entry.notebook), addressesOf(file));
    entry.notebook = file;
    this.#deps.onMoved(file, entry.session.language);
    return true;
  }

  #stay(entry: Entry): void {
    clearTimeout(entry.leaving);
    delete entry.leaving;
  }

  async #end(entry: Entry): Promise<void> {
    clearTimeout(entry.leaving);
    this.#entries.delete(entry);
    entry.queue.interrupt();
    await entry.session.close();
  }

  #reportLosses(): void {
    for (const entry of this.#entries) {
      const { session, queue, notebook, reported } = entry;
      const { loss } = session;
      // A cell that runs says it itself.
      if (queue.isRunning || loss === reported) continue;
      entry.reported = loss;
      if (loss !== null && !entry.leaving) this.#deps.onLost(notebook, loss);
    }
  }

  #stopTimers(): void {
    for (const { leaving } of this.#entries) clearTimeout(leaving);
  }
}

function addressesOf(notebook: NotebookDocument): string[] {
  return notebook.getCells().map(({ document }) => document.uri.toString());
}

function contentOf(notebook: NotebookDocument): string {
  return JSON.stringify(notebook.getCells().map(({ document }) => document.getText()));
}
