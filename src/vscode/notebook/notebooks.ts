import path from 'node:path';
import {
  type NotebookController,
  type NotebookDocument,
  type NotebookDocumentChangeEvent,
  type Uri,
  workspace,
} from 'vscode';
import { type Disposable, DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { ContinuedRun, EngineProblem, Owner, Result, SessionInfo } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';
import { environmentOf } from '../environments/notebookEnvironment.ts';
import { CellNames } from './cellNames.ts';
import { CellQueue, type LeftCell } from './cellQueue.ts';
import { CellDiagnostics } from './language/diagnostics.ts';
import { CLOSED, NotebookSession, type PrepareSession } from './notebookSession.ts';
import { findCells, savedCells, withRun } from './reload/savedCells.ts';
import type { SavedNotebook, SavedNotebooks } from './reload/savedNotebooks.ts';
import type { SessionSecrets } from './reload/sessionSecrets.ts';

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
  /** A cell is about to run, and waits. */
  readonly onCell: (
    notebook: NotebookDocument,
    session: Parameters<PrepareSession>[0] & { readonly language: string },
    signal: AbortSignal,
  ) => Promise<void>;
  /** A session was lost while no cell ran; called once per loss. `reason` as in `it ran out of memory`. */
  readonly onLost: (notebook: NotebookDocument, reason: string) => void;
  /** What another window needs to continue. */
  readonly saved: SavedNotebooks;
  readonly secrets: SessionSecrets;
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
  #isLeaving = false;
  readonly #subscriptions = new DisposableStack();
  readonly #diagnostics = this.#subscriptions.add(new CellDiagnostics());

  constructor(handle: EngineHandle, deps: NotebooksDependencies) {
    this.#handle = handle;
    this.#deps = deps;
    this.#subscriptions.add(handle.onDidChange(() => this.#reportLosses()));
    this.#subscriptions.add(workspace.onDidCloseNotebookDocument((notebook) => this.release(notebook)));
    this.#subscriptions.add(workspace.onDidChangeNotebookDocument((change) => this.#saveChanged(change)));
    this.#subscriptions.add(toDisposable(() => this.#stopTimers()));
  }

  /**
   * The notebook's entry, created at its first run in this language; it continues the session that an earlier window has
   * left. Its session in another language ends.
   */
  of(notebook: NotebookDocument, language: string, controller: NotebookController): ActiveNotebook {
    const known = [...this.#entries].find((entry) => entry.notebook === notebook);
    if (known?.session.language === language) {
      this.#keep(known);
      return known;
    }
    if (known) void this.#end(known);
    const entry = this.#add(notebook, language);
    const saved = this.#deps.saved.get(notebook.uri);
    if (saved?.language === language) entry.queue.waitFor(this.#resume(entry, saved, controller));
    return entry;
  }

  /** A notebook has selected our kernel: continues the session that an earlier window has left, if there is one. */
  selected(notebook: NotebookDocument, language: string, controller: NotebookController): void {
    const isLeft = this.#deps.saved.get(notebook.uri)?.language === language;
    if (isLeft && !this.#entry(notebook.uri)) this.of(notebook, language, controller);
  }

  /** The window closes or reloads: shows nothing from now on and leaves the sessions to the next window. */
  leave(): void {
    this.#isLeaving = true;
    this.#deps.secrets.leave();
    for (const { queue } of this.#entries) queue.freeze();
  }

  /** Ends the sessions that an earlier window has left and that no notebook has continued. */
  async endLeft(): Promise<void> {
    const open = new Set([...this.#entries].map(({ session }) => session.info?.id));
    const left = this.#deps.saved.all.filter(({ sessionId }) => !open.has(sessionId));
    await Promise.all(left.map(({ sessionId }) => this.#endLeft(sessionId)));
    for (const { sessionId } of left) this.#deps.saved.deleteSession(sessionId);
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
    if (this.#isLeaving || !entry || (language !== undefined && entry.session.language !== language)) return;
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
    const { onProblem, onCell } = this.#deps;
    const owner: Owner = { id: `notebook/${notebook.uri}`, kind: 'notebook', label: name };
    const prepare: PrepareSession = (opened, signal) => onCell(entry.notebook, { ...opened, language }, signal);
    const environment = () => environmentOf(entry.notebook);
    const session = new NotebookSession(this.#handle, language, owner, prepare, environment);
    const names = new CellNames();
    const onRun = () => this.#save(entry);
    const queue = new CellQueue({ session, names, diagnostics: this.#diagnostics, onRun, onProblem });
    const entry: Entry = { notebook, session, names, queue, reported: null };
    this.#entries.add(entry);
    return entry;
  }

  /** Never rejects. Resolves when the cell that was left running has ended, or there is none. */
  async #resume(entry: Entry, saved: SavedNotebook, controller: NotebookController): Promise<void> {
    const { queue, session, names } = entry;
    const { sessionId, order } = saved;
    const cells = entry.notebook.getCells();
    const texts = cells.map(({ document }) => document.getText());
    const addresses = addressesOf(entry.notebook);
    const found = findCells(saved.cells, texts);
    const restore = (places: typeof found) =>
      names.restore(new Map([...places].map(([name, index]) => [addresses[index] ?? '', name])));
    restore(found);
    const record = await this.#deps.secrets.find(sessionId);
    if (!record) return this.#deps.saved.delete(entry.notebook.uri);
    let left: LeftCell | undefined;
    const onRun = (run: ContinuedRun) => {
      const places = withRun(found, run, texts);
      restore(places);
      const cell = cells[places.get(run.cell ?? '') ?? -1];
      left = cell && queue.continue(cell, run, controller);
      return left ?? queue.continueUnseen(entry.notebook.uri);
    };
    const result = await session.resume({ record, order, onRun });
    if (!session.info) this.#forget(entry, sessionId);
    await left?.onEnd(result);
  }

  /** A session that could not be continued; the next cell says why. */
  #forget(entry: Entry, sessionId: string): void {
    entry.reported = entry.session.loss;
    this.#deps.saved.delete(entry.notebook.uri);
    void this.#deps.secrets.remove(sessionId);
  }

  async #endLeft(sessionId: string): Promise<void> {
    const record = await this.#deps.secrets.find(sessionId);
    if (!record) return;
    const engine = await this.#handle.get();
    const resumed = await engine.resumeSession(record);
    if (resumed.ok) await engine.closeSession(sessionId);
    await this.#deps.secrets.remove(sessionId);
  }

  /** Saves what another window needs to continue. */
  #save({ notebook, session, names, closing }: Entry): void {
    const { info, language, order } = session;
    if (!info || closing || this.#isLeaving) return;
    const cells = notebook.getCells();
    const named = addressesOf(notebook).map((address) => names.find(address));
    const textOf = (index: number) => cells[index]?.document.getText() ?? '';
    this.#deps.saved.set(notebook.uri, { sessionId: info.id, language, order, cells: savedCells(named, textOf) });
  }

  #saveChanged({ notebook, contentChanges }: NotebookDocumentChangeEvent): void {
    const entry = contentChanges.length > 0 && this.#entry(notebook.uri);
    if (entry) this.#save(entry);
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
    this.#deps.saved.delete(entry.notebook.uri);
    entry.notebook = file;
    this.#save(entry);
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
    this.#deps.saved.delete(entry.notebook.uri);
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
