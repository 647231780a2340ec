import { RelativePattern, type WorkspaceFolder, workspace } from 'vscode';
import { type Disposable, DisposableStack } from '../../base/disposable.ts';
import type { ViewChange } from '../../engine/files/sessionView.ts';
import type { Engine, EngineProblem } from '../../engine/types.ts';
import { throttled } from '../throttle.ts';
import type { FolderScan, ScannedFile } from './scanFolder.ts';

/** Of one update. */
const ATTEMPTS = 3;

/** What a view needs from its creator. */
export interface FolderViewContext {
  /** Finds the allowed files again; undefined when the folder cannot be read, which is shown. */
  readonly scan: () => Promise<FolderScan | undefined>;
  readonly engine: () => Promise<Engine>;
  /** A session was not updated in the background. */
  readonly onProblem: (problem: EngineProblem) => void;
}

/** How one session follows. */
interface Follower {
  /** The change of the folder that the session has. */
  version: number;
  /** The latest update. */
  update: Promise<unknown>;
  /** Its working folder may have been replaced. */
  isMoved: boolean;
}

/** How an update ended. */
export type Updated =
  | { readonly ok: true; readonly change: ViewChange | null }
  | { readonly ok: false; readonly error: EngineProblem | null };

/** The live view of one folder in sessions: each change of an allowed file is sent to them, in the order of changes. */
export class FolderView implements Disposable {
  readonly #context: FolderViewContext;
  readonly #followers = new Map<string, Follower>();
  readonly #stack = new DisposableStack();
  #version = 0;

  constructor(folder: WorkspaceFolder, context: FolderViewContext) {
    this.#context = context;
    const later = this.#stack.add(throttled(() => this.#updateAll()));
    const onChange = () => {
      this.#version += 1;
      later.trigger();
    };
    const watcher = this.#stack.add(workspace.createFileSystemWatcher(new RelativePattern(folder, '**')));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete])
      this.#stack.add(event(onChange));
    // Known before the watcher sees them, so that a cell that runs next has them.
    this.#stack.add(workspace.onDidSaveTextDocument(onChange));
    this.#stack.add(workspace.onDidSaveNotebookDocument(onChange));
    for (const event of [workspace.onDidCreateFiles, workspace.onDidDeleteFiles, workspace.onDidRenameFiles])
      this.#stack.add(event(onChange));
  }

  /** Resolves when the session has what the folder had at the call; `isNew` when it has a new sandbox. */
  async update(
    sessionId: string,
    isNew: boolean,
    onPut: (file: ScannedFile) => void = () => {},
    signal?: AbortSignal,
  ): Promise<Updated> {
    const follower = this.#followers.get(sessionId) ?? { version: -1, update: Promise.resolve(), isMoved: false };
    this.#followers.set(sessionId, follower);
    if (isNew) follower.version = -1;
    const update = follower.update.then(() => this.#send(sessionId, follower, onPut, signal));
    follower.update = update.catch(() => {});
    return update;
  }

  /** Whether the session's working folder may be gone since the last call. */
  takeMoved(sessionId: string): boolean {
    const follower = this.#followers.get(sessionId);
    const isMoved = follower?.isMoved ?? false;
    if (follower) follower.isMoved = false;
    return isMoved;
  }

  has(sessionId: string): boolean {
    return this.#followers.has(sessionId);
  }

  /** Forgets sessions that are gone; whether any is left. */
  keep(sessionIds: ReadonlySet<string>): boolean {
    for (const id of this.#followers.keys()) if (!sessionIds.has(id)) this.#followers.delete(id);
    return this.#followers.size > 0;
  }

  dispose(): void {
    this.#stack.dispose();
    this.#followers.clear();
  }

  /** Files that change on their way are sent again: they are often those that the user has just saved. */
  async #send(
    sessionId: string,
    follower: Follower,
    onPut: (file: ScannedFile) => void,
    signal: AbortSignal | undefined,
  ): Promise<Updated> {
    for (let attempt = 1; ; attempt += 1) {
      const updated = await this.#sendOnce(sessionId, follower, onPut, signal);
      if (updated.ok || updated.error?.kind !== 'changed' || attempt === ATTEMPTS) return updated;
    }
  }

  async #sendOnce(
    sessionId: string,
    follower: Follower,
    onPut: (file: ScannedFile) => void,
    signal: AbortSignal | undefined,
  ): Promise<Updated> {
    const version = this.#version;
    if (follower.version === version) return { ok: true, change: null };
    const [scan, engine] = await Promise.all([this.#context.scan(), this.#context.engine()]);
    if (!scan) return { ok: false, error: null };
    const { contentOf } = await import('./scanFolder.ts');
    const files = scan.files.map((file) => ({ ...file, content: () => contentOf(file) }));
    const synced = await engine
      .view(sessionId)
      .sync(files, { onPut: (file) => onPut(file as (typeof files)[number]) }, signal);
    if (!synced.ok) return synced;
    follower.version = version;
    if (synced.value.removed > 0) follower.isMoved = true;
    return { ok: true, change: synced.value };
  }

  #updateAll(): void {
    for (const id of this.#followers.keys()) {
      void this.update(id, false).then((updated) => {
        if (updated.ok || !updated.error) return;
        if (updated.error.kind === 'unknown_session') this.#followers.delete(id);
        else this.#context.onProblem(updated.error);
      });
    }
  }
}
