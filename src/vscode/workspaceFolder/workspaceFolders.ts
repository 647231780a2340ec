import path from 'node:path';
import {
  type ExtensionContext,
  type Memento,
  type NotebookDocument,
  ProgressLocation,
  type WorkspaceFolder,
  window,
  workspace,
} from 'vscode';
import { messageOf } from '../../base/log.ts';
import type { Engine, Owner } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { formatBytes, formatCount, formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';
import type { FolderScan } from './scanFolder.ts';

/** Key of the answers in the workspace's state: folder → whether sessions get a copy. */
const ANSWERS = 'hothouse.workspaceFolder.answers';
/** A copy that is larger shows its progress. */
const QUICK_BYTES = 8 * 1024 * 1024;
const QUICK_FILES = 500;

/** The session that a copy is for. */
export interface CopyTarget {
  readonly notebook: NotebookDocument;
  readonly sessionId: string;
  readonly language: string;
  readonly owner: Owner;
}

/**
 * Copies of workspace folders in the sessions of notebooks: only of trusted workspaces, and only when the user has said so
 * for the folder, or for all by the setting. Nothing is ever written back by itself.
 */
export class WorkspaceFolders {
  readonly #app: App;
  readonly #state: Memento;
  /** Folders that were asked about in this window. */
  readonly #asked = new Set<string>();

  constructor(app: App, { workspaceState }: Pick<ExtensionContext, 'workspaceState'>) {
    this.#app = app;
    this.#state = workspaceState;
  }

  /** For a session that has just opened: copies the folder, or asks whether to. Waits for the copy, not for the answer. */
  async prepare(target: CopyTarget, signal: AbortSignal): Promise<void> {
    const folder = folderOf(target.notebook);
    if (!folder || !workspace.isTrusted || !editorLanguage(target.language).enterFolder) return;
    const mode = settings().get<string>('copy', 'ask');
    const answer = this.#answers()[folder.uri.toString()];
    if (mode === 'never') return;
    if (mode === 'always' || answer === true) await this.#scanAndCopy(folder, target, signal);
    else if (answer === undefined) void this.#ask(folder, target);
  }

  /** Copies the folder because a command was used, whatever was answered before. */
  async copyNow(target: CopyTarget): Promise<void> {
    const folder = folderOf(target.notebook);
    if (!folder) {
      window.showInformationMessage('This notebook belongs to no folder of the workspace on this machine.');
      return;
    }
    if (!workspace.isTrusted) {
      window.showInformationMessage('Trust this workspace to copy its folder into a session.');
      return;
    }
    const scan = await this.#scan(folder);
    if (scan && (await confirmCopy(folder, scan))) await this.#copy(folder, scan, target);
  }

  async #ask(folder: WorkspaceFolder, target: CopyTarget): Promise<void> {
    const key = folder.uri.toString();
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const scan = await this.#scan(folder);
    if (!scan || scan.files.every(({ path: name }) => isNotebook(name))) return;
    const copy = 'Copy Folder';
    const never = 'Never for This Folder';
    const chosen = await window.showInformationMessage(question(folder, scan), copy, never);
    if (chosen === undefined) return;
    await this.#state.update(ANSWERS, { ...this.#answers(), [key]: chosen === copy });
    if (chosen === copy) await this.#copy(folder, scan, target);
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
    const isQuick = scan.bytes <= QUICK_BYTES && scan.files.length <= QUICK_FILES;
    const problem = isQuick
      ? await put(engine, scan, target, () => {}, signal)
      : await withProgress(folder, scan, (onPut, cancel) =>
          put(engine, scan, target, onPut, signal ? AbortSignal.any([signal, cancel]) : cancel),
        );
    if (problem === null) await enter(engine, folder, target);
    else if (problem.kind !== 'cancelled') {
      window.showErrorMessage(`The folder ${folder.name} was not copied. ${formatProblem(problem)}`);
    }
    this.#app.log.info(`${folder.name}: ${sizeOf(scan)}, ${problem === null ? 'copied' : problem.message}`);
  }

  #answers(): Readonly<Record<string, boolean>> {
    return this.#state.get<Readonly<Record<string, boolean>>>(ANSWERS, {});
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

/** Makes the notebook's own folder the working folder, as in Jupyter. */
async function enter(engine: Engine, folder: WorkspaceFolder, target: CopyTarget): Promise<void> {
  const { notebook, sessionId, language, owner } = target;
  const inside = notebook.isUntitled ? '' : path.relative(folder.uri.fsPath, path.dirname(notebook.uri.fsPath));
  if (inside === '') return;
  const names = inside.split(path.sep).join('/');
  await engine.files(sessionId).makeFolder(names);
  const code = editorLanguage(language).enterFolder?.(`/workspace/${names}`);
  if (code !== undefined) await engine.run({ language, code, owner, sessionId });
}

function withProgress<T>(
  folder: WorkspaceFolder,
  scan: FolderScan,
  work: (onPut: () => void, signal: AbortSignal) => Promise<T>,
): Thenable<T> {
  const title = `Copying ${folder.name} into the session (${sizeOf(scan)})`;
  return window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, (progress, token) =>
    work(() => progress.report({ increment: 100 / scan.files.length }), abortSignal(token)),
  );
}

function sizeOf({ files, bytes }: FolderScan): string {
  return `${formatCount(files.length, 'file')}, ${formatBytes(bytes)}`;
}

function question(folder: WorkspaceFolder, scan: FolderScan): string {
  return [
    `Copy the folder ${folder.name} (${sizeOf(scan)}) into the sessions of its notebooks?`,
    'Their code can then read its files and import its modules.',
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

async function confirmCopy(folder: WorkspaceFolder, scan: FolderScan): Promise<boolean> {
  const copy = 'Copy Folder';
  const detail = `${leftOutText(scan)} Files of the session that have the same names are replaced.`.trim();
  const title = `Copy ${folder.name} (${sizeOf(scan)}) into the session?`;
  return (await window.showWarningMessage(title, { modal: true, detail }, copy)) === copy;
}
