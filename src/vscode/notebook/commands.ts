import { commands, type Disposable, Uri, window } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import type { App } from '../app.ts';
import { addPackages } from '../commands/addPackages.ts';
import { formatProblem } from '../format.ts';
import { ALL_LANGUAGES } from '../languages.ts';
import type { CopyTarget, WorkspaceFolders } from '../workspaceFolder/workspaceFolders.ts';
import { newSession } from './newSession.ts';
import type { Notebooks } from './notebooks.ts';

const NO_SESSION = 'This notebook has no session yet. Run a cell to start one.';

/** Registers *New … Session* for each language, and what a notebook's toolbar and menu have for its session. */
export function registerNotebookCommands(app: App, active: Notebooks, folders: WorkspaceFolders): Disposable {
  const { extensionId } = app;
  const stack = new DisposableStack();
  for (const language of ALL_LANGUAGES) {
    stack.add(commands.registerCommand(language.commands.newSession, () => newSession(language, extensionId)));
  }
  stack.add(commands.registerCommand('hothouse.restartSession', (from: unknown) => restart(from, active)));
  stack.add(commands.registerCommand('hothouse.addPackages', (from: unknown) => add(from, app, active)));
  const onFolder = (command: string, act: (target: CopyTarget) => Promise<void>) =>
    stack.add(commands.registerCommand(command, (from: unknown) => withTarget(from, active, act)));
  onFolder('hothouse.copyWorkspaceFolder', (target) => folders.copyNow(target));
  onFolder('hothouse.viewWorkspaceFolder', (target) => folders.viewNow(target));
  return stack;
}

async function withTarget(from: unknown, active: Notebooks, act: (target: CopyTarget) => Promise<void>): Promise<void> {
  const uri = uriOf(from) ?? window.activeNotebookEditor?.notebook.uri;
  const entry = uri && active.find(uri);
  const info = entry?.session.info;
  const notebook = info && active.documentOf(info.id);
  if (!info || !notebook) return void window.showInformationMessage(NO_SESSION);
  await act({ notebook, sessionId: info.id, language: info.language, owner: info.owner });
}

async function add(from: unknown, app: App, active: Notebooks): Promise<void> {
  const uri = uriOf(from) ?? window.activeNotebookEditor?.notebook.uri;
  const info = uri && active.find(uri)?.session.info;
  if (info) await addPackages(info, app);
  else window.showInformationMessage(NO_SESSION);
}

async function restart(from: unknown, active: Notebooks): Promise<void> {
  const uri = uriOf(from) ?? window.activeNotebookEditor?.notebook.uri;
  const notebook = uri && active.find(uri);
  if (!notebook?.session.info) {
    window.showInformationMessage(NO_SESSION);
    return;
  }
  const restarted = await active.restart(notebook);
  if (restarted && !restarted.ok) window.showErrorMessage(formatProblem(restarted.error));
}

/** The notebook of the toolbar that was clicked. */
function uriOf(from: unknown): Uri | undefined {
  const editor =
    typeof from === 'object' && from !== null && 'notebookEditor' in from ? from.notebookEditor : undefined;
  const uri = typeof editor === 'object' && editor !== null && 'notebookUri' in editor ? editor.notebookUri : undefined;
  return uri instanceof Uri ? uri : undefined;
}
