import path from 'node:path';
import { type NotebookDocument, type Uri, workspace } from 'vscode';
import { type Disposable, DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { EngineProblem, Owner, Result, SessionInfo } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';
import { CellNames } from './cellNames.ts';
import { CellQueue } from './cellQueue.ts';
import { CellDiagnostics } from './language/diagnostics.ts';
import { CLOSED, NotebookSession } from './notebookSession.ts';

// Saving an untitled notebook opens a file, perhaps still empty, and closes the untitled document.
const MOVE_MS = 1_000;

/** A notebook that has run a cell with our kernel. */
export interface ActiveNotebook {
  readonly session: NotebookSession;
  readonly queue: CellQueue;
  readonly names: CellNames;
}

/** Callbacks of `Notebooks`. */
export interface NotebooksDependencies {
  /** A session did not open. */
  readonly onProblem: (problem: EngineProblem, language: string) => void;
  /** An untitled notebook was saved as this file, which takes over its session. */
  readonly onMoved: (notebook: NotebookDocument, language: string) => void;
  /** A session is new; its first cell waits. */
  readonly onOpened: (
    notebook: NotebookDocument,
    session: { readonly id: string; readonly language: string; readonly owner: Owner },
    signal: AbortSignal,
  ) => Promise<void>;
  /** A session was lost while no cell ran; called once per loss. `reason` as in `it ran out of memory`. */
  readonly onLost: (notebook: NotebookDocument, reason: string) => void;
}

interface Entry extends ActiveNotebook {
  notebook: NotebookDocument;
  /** The loss that was reported last. */
  reported: string | null;
  /** Set while a closed untitled notebook may still reappear as a file. */
  closing?: NodeJS.Timeout;
}

/** The notebooks that use our kernels, each with a session that ends with its notebook. */
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

  /** The notebook's entry, created at its first run in this language. Its session in another language ends. */
  of(notebook: NotebookDocument, language: string): ActiveNotebook {
    const known = [...this.#entries].find((entry) => entry.notebook === notebook);
    if (known?.session.language === language) {
      this.#keep(known);
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

  /** The open document of a session. */
  documentOf(sessionId: string): NotebookDocument | undefined {
    return [...this.#entries].find(({ session, closing }) => session.info?.id === sessionId && !closing)?.notebook;
  }

  /** The current file name of a session's notebook. */
  labelOf(sessionId: string): string | undefined {
    const document = this.documentOf(sessionId);
    return document && path.basename(document.uri.path);
  }

  /** Suppresses the loss notification for a session that the user closes. */
  expectClose(sessionId: string): void {
    for (const entry of this.#entries) if (entry.session.info?.id === sessionId) entry.reported = CLOSED;
  }

  /** Restarts the notebook's session and drops waiting cells; null without a session. */
  async restart({ queue, session }: ActiveNotebook): Promise<Result<SessionInfo> | null> {
    queue.drop();
    return session.restart();
  }

  /** Ends the session of a notebook that was closed or uses another kernel, unless it was saved as a file. */
  release(notebook: NotebookDocument, language?: string): void {
    const entry = this.#entry(notebook.uri);
    if (!entry || (language !== undefined && entry.session.language !== language)) return;
    if (!notebook.isUntitled) return void this.#end(entry);
    if (this.#move(entry)) return;
    entry.closing = setTimeout(() => {
      if (!this.#move(entry)) void this.#end(entry);
    }, MOVE_MS);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #entry(uri: Uri): Entry | undefined {
    return [...this.#entries].find((entry) => !entry.closing && entry.notebook.uri.toString() === uri.toString());
  }

  #add(notebook: NotebookDocument, language: string): Entry {
    const name = path.basename(notebook.uri.path);
    const { onProblem, onOpened } = this.#deps;
    const owner: Owner = { id: `notebook/${notebook.uri}`, kind: 'notebook', label: name };
    const session = new NotebookSession(this.#handle, language, owner, ({ id }, signal) =>
      onOpened(entry.notebook, { id, language, owner }, signal),
    );
    const names = new CellNames();
    const queue = new CellQueue({ session, names, diagnostics: this.#diagnostics, onProblem });
    const entry: Entry = { notebook, session, names, queue, reported: null };
    this.#entries.add(entry);
    return entry;
  }

  /** Moves the session of an untitled notebook to the file it was saved as. False without such a file. */
  #move(entry: Entry): boolean {
    const content = contentOf(entry.notebook);
    const file = workspace.notebookDocuments.find(
      (notebook) => !notebook.isUntitled && !this.find(notebook.uri) && contentOf(notebook) === content,
    );
    if (!file) return false;
    this.#keep(entry);
    entry.names.move(addressesOf(entry.notebook), addressesOf(file));
    entry.notebook = file;
    this.#deps.onMoved(file, entry.session.language);
    return true;
  }

  #keep(entry: Entry): void {
    clearTimeout(entry.closing);
    delete entry.closing;
  }

  async #end(entry: Entry): Promise<void> {
    clearTimeout(entry.closing);
    this.#entries.delete(entry);
    entry.queue.interrupt();
    await entry.session.close();
  }

  #reportLosses(): void {
    for (const entry of this.#entries) {
      const { session, queue, notebook, reported } = entry;
      const { loss } = session;
      // A running cell shows the loss itself.
      if (queue.isRunning || loss === reported) continue;
      entry.reported = loss;
      if (loss !== null && !entry.closing) this.#deps.onLost(notebook, loss);
    }
  }

  #stopTimers(): void {
    for (const { closing } of this.#entries) clearTimeout(closing);
  }
}

function addressesOf(notebook: NotebookDocument): string[] {
  return notebook.getCells().map(({ document }) => document.uri.toString());
}

function contentOf(notebook: NotebookDocument): string {
  return JSON.stringify(notebook.getCells().map(({ document }) => document.getText()));
}
