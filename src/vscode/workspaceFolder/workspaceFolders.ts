import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Disposable,
  type ExtensionContext,
  type Memento,
  type NotebookDocument,
  ProgressLocation,
  type WorkspaceFolder,
  window,
  workspace,
} from 'vscode';
import { messageOf } from '../../base/log.ts';
import { VIEW_FOLDER } from '../../engine/files/types.ts';
import type { Engine, EngineProblem, Owner } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { formatBytes, formatCount, formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';
import { FolderView } from './folderView.ts';
import type { FolderScan } from './scanFolder.ts';

/** Key of the answers in the workspace's state: folder → whether sessions get a copy, or a view. */
const ANSWERS = 'hothouse.workspaceFolder.answers';
/** A copy that is larger shows its progress. */
const QUICK_BYTES = 8 * 1024 * 1024;
const QUICK_FILES = 500;
const WORKSPACE = '/workspace';
/** The first cell of a saved notebook waits so long for an answer. */
const ANSWER_MS = 30_000;

/** What the user has answered for a folder: a copy, none, or a live view. */
type Answer = boolean | 'view';

/** The session that a copy is for. */
export interface CopyTarget {
  readonly notebook: NotebookDocument;
  readonly sessionId: string;
  readonly language: string;
  readonly owner: Owner;
}

/**
 * Workspace folders in the sessions of notebooks, as a copy or as a live read-only view: only of trusted workspaces, and
 * only when the user has said so for the folder, or for all by the setting. Nothing is ever written back by itself.
 */
export class WorkspaceFolders implements Disposable {
  readonly #app: App;
  readonly #state: Memento;
  /** Folders that were asked about in this window. */
  readonly #asked = new Set<string>();
  readonly #views = new Map<string, FolderView>();
  readonly #subscription: Disposable;

  constructor(app: App, { workspaceState }: Pick<ExtensionContext, 'workspaceState'>) {
    this.#app = app;
    this.#state = workspaceState;
    this.#subscription = app.engine.onDidChange(() => this.#dropUnused());
  }

  /**
   * Before a cell: copies the folder into a session that has just opened, brings its view up to date, or asks which of them
   * the user wants. Waits for the files, and with a saved notebook some seconds for the answer: its code needs its files.
   */
  async prepare(target: CopyTarget, isNew: boolean, signal: AbortSignal): Promise<void> {
    const folder = folderOf(target.notebook);
    if (!folder || !workspace.isTrusted || !editorLanguage(target.language).enterFolder) return;
    const mode = this.#modeOf(folder);
    if (mode === 'view') await this.#showView(folder, target, isNew, signal);
    else if (isNew && mode === true) await this.#scanAndCopy(folder, target, signal);
    else if (isNew && mode === undefined) {
      const answered = this.#ask(folder, target);
      if (!target.notebook.isUntitled) await Promise.race([answered, waited(ANSWER_MS, signal)]);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const view of this.#views.values()) view.dispose();
    this.#views.clear();
  }

  /** Shows the folder in the session and from now on in those of its notebooks, because a command was used. */
  async viewNow(target: CopyTarget): Promise<void> {
    const folder = this.#usableFolder(target);
    const scan = folder && (await this.#scan(folder));
    if (!folder || !scan || !(await confirmView(folder, scan))) return;
    await this.#remember(folder, 'view');
    await this.#showView(folder, target, true);
  }

  /** Copies the folder because a command was used, whatever was answered before. */
  async copyNow(target: CopyTarget): Promise<void> {
    const folder = this.#usableFolder(target);
    const scan = folder && (await this.#scan(folder));
    if (!folder || !scan || !(await confirmCopy(folder, scan))) return;
    // From a view to copies.
    if (this.#modeOf(folder) === 'view') await this.#remember(folder, true);
    await this.#copy(folder, scan, target);
  }

  /** Undefined where it cannot be used, which is shown. */
  #usableFolder({ notebook, language }: CopyTarget): WorkspaceFolder | undefined {
    const folder = folderOf(notebook);
    const problem =
      (!folder && 'This notebook belongs to no folder of the workspace on this machine.') ||
      (!workspace.isTrusted && 'Trust this workspace to use its folder in a session.') ||
      (!editorLanguage(language).enterFolder && `Sessions of ${editorLanguage(language).name} have no working folder.`);
    if (problem) window.showInformationMessage(problem);
    return problem ? undefined : folder;
  }

  /** Undefined: ask. The setting decides before answers. */
  #modeOf(folder: WorkspaceFolder): Answer | undefined {
    const mode = settings().get<string>('copy', 'ask');
    if (mode === 'view') return 'view';
    if (mode === 'always' || mode === 'never') return mode === 'always';
    return this.#answers()[folder.uri.toString()];
  }

  #remember(folder: WorkspaceFolder, answer: Answer): Thenable<void> {
    return this.#state.update(ANSWERS, { ...this.#answers(), [folder.uri.toString()]: answer });
  }

  async #ask(folder: WorkspaceFolder, target: CopyTarget): Promise<void> {
    const key = folder.uri.toString();
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const scan = await this.#scan(folder);
    if (!scan || scan.files.every(({ path: name }) => isNotebook(name))) return;
    const [copy, view, never] = ['Copy Folder', 'Live View', 'Never for This Folder'];
    const chosen = await window.showInformationMessage(question(folder, scan), copy, view, never);
    if (chosen === undefined) return;
    await this.#remember(folder, chosen === view ? 'view' : chosen === copy);
    if (chosen === copy) await this.#copy(folder, scan, target);
    if (chosen === view) await this.#showView(folder, target, true);
  }

  /** Brings the view of a session up to date, and makes the notebook's folder in it the working folder. */
  async #showView(folder: WorkspaceFolder, target: CopyTarget, isNew: boolean, signal?: AbortSignal): Promise<void> {
    const key = folder.uri.toString();
    const view = this.#views.get(key) ?? this.#watch(folder);
    this.#views.set(key, view);
    const isFirst = isNew || !view.has(target.sessionId);
    const send = (onPut?: () => void, cancel?: AbortSignal) => view.update(target.sessionId, isNew, onPut, cancel);
    const scan = isFirst ? await this.#scan(folder, signal) : undefined;
    const updated =
      scan && !isQuick(scan)
        ? await withProgress('Showing', folder, scan, (onPut, cancel) => send(onPut, cancel))
        : await send(undefined, signal);
    if (!updated.ok) return this.#notShown(folder, updated.error);
    const engine = await this.#app.engine.get();
    const place = placeOf(folder, target, VIEW_FOLDER);
    if (isNew || updated.change?.isFirst) await enter(engine, target, place);
    else if (view.takeMoved(target.sessionId)) await enter(engine, target, place, 'returnToFolder');
  }

  #watch(folder: WorkspaceFolder): FolderView {
    let shown = '';
    return new FolderView(folder, {
      scan: () => this.#scan(folder),
      engine: () => this.#app.engine.get(),
      onProblem: (problem) => {
        // Once, not at each change of a file.
        if (shown !== problem.message) this.#notShown(folder, problem);
        shown = problem.message;
      },
    });
  }

  #notShown(folder: WorkspaceFolder, problem: EngineProblem | null): void {
    if (!problem || problem.kind === 'cancelled') return;
    const text = `The view of ${folder.name} is not up to date. ${formatProblem(problem)}`;
    window.showErrorMessage(text);
    this.#app.log.warn(text);
  }

  /** Stops watching folders that no open session shows. */
  #dropUnused(): void {
    if (this.#views.size === 0) return;
    const open = new Set(this.#app.engine.snapshot().sessions.map(({ id }) => id));
    for (const [key, view] of this.#views) {
      if (view.keep(open)) continue;
      view.dispose();
      this.#views.delete(key);
    }
  }

  async #scanAndCopy(folder: WorkspaceFolder, target: CopyTarget, signal: AbortSignal): Promise<void> {
    const scan = await this.#scan(folder, signal);
    if (scan) await this.#copy(folder, scan, target, signal);
  }

  /** Undefined when the folder cannot be copied, which is shown. */
  async #scan(folder: WorkspaceFolder, signal?: AbortSignal): Promise<FolderScan | undefined> {
    try {
      // Read at the first copy, not at activation.
      const { scanFolder } = await import('./scanFolder.ts');
      const scan = await scanFolder(folder.uri.fsPath, settings().get<string[]>('exclude', []), signal);
      if (!scan.tooMany) return scan;
      const advice = 'Leave some out by the setting hothouse.workspaceFolder.exclude.';
      const reason = `it has more than ${scan.files.length} files`;
      window.showWarningMessage(`The folder ${folder.name} was not copied: ${reason}. ${advice}`);
    } catch (error) {
      if (!signal?.aborted) window.showWarningMessage(`${folder.name} could not be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  async #copy(folder: WorkspaceFolder, scan: FolderScan, target: CopyTarget, signal?: AbortSignal): Promise<void> {
    const engine = await this.#app.engine.get();
    const problem = isQuick(scan)
      ? await put(engine, scan, target, () => {}, signal)
      : await withProgress('Copying', folder, scan, (onPut, cancel) =>
          put(engine, scan, target, onPut, signal ? AbortSignal.any([signal, cancel]) : cancel),
        );
    const place = placeOf(folder, target, WORKSPACE);
    if (problem === null && place !== WORKSPACE) {
      await engine.files(target.sessionId).makeFolder(place);
      await enter(engine, target, place);
    } else if (problem === null) await enter(engine, target, place);
    else if (problem.kind !== 'cancelled') {
      window.showErrorMessage(`The folder ${folder.name} was not copied. ${formatProblem(problem)}`);
    }
    this.#app.log.info(`${folder.name}: ${sizeOf(scan)}, ${problem === null ? 'copied' : problem.message}`);
  }

  #answers(): Readonly<Record<string, Answer>> {
    return this.#state.get<Readonly<Record<string, Answer>>>(ANSWERS, {});
  }
}

function settings() {
  const section = workspace.getConfiguration('hothouse.workspaceFolder');
  // Only what the user has set counts: a workspace must not decide that its folder is copied.
  return {
    get<T>(key: string, fallback: T): T {
      return section.inspect<T>(key)?.globalValue ?? fallback;
    },
  };
}

/** The folder on this machine that a notebook belongs to; an untitled one to the only folder. */
function folderOf({ uri, isUntitled }: NotebookDocument): WorkspaceFolder | undefined {
  const { workspaceFolders = [] } = workspace;
  const folder = isUntitled && workspaceFolders.length === 1 ? workspaceFolders[0] : workspace.getWorkspaceFolder(uri);
  return folder?.uri.scheme === 'file' ? folder : undefined;
}

/** Resolves after a time, or when `signal` aborts. */
function waited(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

function isNotebook(name: string): boolean {
  return name.endsWith('.ipynb');
}

/** Puts the files; null, or why they were not. */
async function put(
  engine: Engine,
  { files }: FolderScan,
  { sessionId }: CopyTarget,
  onPut: () => void,
  signal?: AbortSignal,
) {
  const { contentOf } = await import('./scanFolder.ts');
  const inputs = files.map((file) => ({ path: file.path, content: () => contentOf(file), size: file.size }));
  const done = await engine.files(sessionId).putAll(inputs, { onPut }, signal);
  return done.ok ? null : done.error;
}

/** The notebook's own folder, below that of the workspace's in the session. */
function placeOf(folder: WorkspaceFolder, { notebook }: CopyTarget, root: string): string {
  const inside = notebook.isUntitled ? '' : path.relative(folder.uri.fsPath, path.dirname(notebook.uri.fsPath));
  return inside === '' ? root : `${root}/${inside.split(path.sep).join('/')}`;
}

/** Makes a folder the working folder, as in Jupyter. */
async function enter(
  engine: Engine,
  { sessionId, language, owner }: CopyTarget,
  place: string,
  how: 'enterFolder' | 'returnToFolder' = 'enterFolder',
): Promise<void> {
  const { enterFolder, returnToFolder = enterFolder } = editorLanguage(language);
  const code = (how === 'enterFolder' ? enterFolder : returnToFolder)?.(place);
  if (code !== undefined) await engine.run({ language, code, owner, sessionId });
}

function isQuick({ files, bytes }: FolderScan): boolean {
  return bytes <= QUICK_BYTES && files.length <= QUICK_FILES;
}

function withProgress<T>(
  doing: 'Copying' | 'Showing',
  folder: WorkspaceFolder,
  scan: FolderScan,
  work: (onPut: () => void, signal: AbortSignal) => Promise<T>,
): Thenable<T> {
  const title = `${doing} ${folder.name} in the session (${sizeOf(scan)})`;
  return window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, (progress, token) =>
    work(() => progress.report({ increment: 100 / scan.files.length }), abortSignal(token)),
  );
}

function sizeOf({ files, bytes }: FolderScan): string {
  return `${formatCount(files.length, 'file')}, ${formatBytes(bytes)}`;
}

function question(folder: WorkspaceFolder, scan: FolderScan): string {
  return [
    `Copy the folder ${folder.name} (${sizeOf(scan)}) into the sessions of its notebooks, or show it in a live view?`,
    'Their code can then read its files and import its modules; a view follows your changes and is read-only.',
    leftOutText(scan),
    'Nothing is written back by itself.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** `Left out: 2 secrets, 3 by .gitignore.` */
function leftOutText({ leftOut }: FolderScan): string {
  const { secret, ignored, excluded, link, unreadable } = leftOut;
  const parts = [
    secret > 0 && formatCount(secret, 'file with secrets', 'files with secrets'),
    ignored > 0 && `${ignored} by .gitignore`,
    excluded > 0 && `${excluded} by the setting`,
    link > 0 && formatCount(link, 'link'),
    unreadable > 0 && `${unreadable} not readable`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`;
}

async function confirmView(folder: WorkspaceFolder, scan: FolderScan): Promise<boolean> {
  const show = 'Show Folder';
  const detail = `${leftOutText(scan)} The sessions of its notebooks read the folder and see your changes. They cannot write to it: what they write to /workspace comes back by Save to Workspace.`;
  const title = `Show ${folder.name} (${sizeOf(scan)}) in the sessions of its notebooks?`;
  return (await window.showWarningMessage(title, { modal: true, detail: detail.trim() }, show)) === show;
}

async function confirmCopy(folder: WorkspaceFolder, scan: FolderScan): Promise<boolean> {
  const copy = 'Copy Folder';
  const detail = `${leftOutText(scan)} Files of the session that have the same names are replaced.`.trim();
  const title = `Copy ${folder.name} (${sizeOf(scan)}) into the session?`;
  return (await window.showWarningMessage(title, { modal: true, detail }, copy)) === copy;
}
