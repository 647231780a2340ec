import { commands, type Disposable, type WorkspaceFolder, window, workspace } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import type { SessionInfo } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { activeSession, showNoSession } from '../notebook/activeSession.ts';
import type { Notebooks } from '../notebook/notebooks.ts';
import type { Node } from '../pool/rowProvider.ts';
import { throttled } from '../throttle.ts';
import { SCHEME, SessionFileSystem } from './fileSystem.ts';
import { type FileNode, FileTree } from './fileTree.ts';
import { saveToWorkspace } from './saveToWorkspace.ts';

/** Registers the view of the files of sessions, the file system that opens them, and *Save to Workspace*. */
export function registerSessionFiles({ engine }: App, notebooks: Notebooks): Disposable {
  const stack = new DisposableStack();
  const labelOf = ({ id, owner }: SessionInfo) => notebooks.labelOf(id) ?? owner.label;
  const tree = new FileTree(engine, labelOf);
  stack.add(workspace.registerFileSystemProvider(SCHEME, new SessionFileSystem(engine), { isReadonly: true }));
  stack.add(window.createTreeView('hothouse.files', { treeDataProvider: tree }));
  const refresh = stack.add(throttled(() => tree.refreshAfterRuns()));
  stack.add(engine.onDidChange(refresh.trigger));
  stack.add(commands.registerCommand('hothouse.files.refresh', () => tree.refresh()));
  const save = async (node: FileNode | undefined) => {
    const folder = node && (await folderFor(node.sessionId, notebooks));
    if (node && folder && engine.current) await saveToWorkspace(engine.current, node, folder);
  };
  stack.add(commands.registerCommand('hothouse.files.save', save));
  stack.add(
    commands.registerCommand('hothouse.session.saveFiles', (row?: Node) => {
      const subject = row?.row.subject;
      const sessionId = subject?.kind === 'session' ? subject.session.id : activeSession(notebooks);
      if (sessionId !== undefined) return save({ sessionId, path: '', type: 'session', size: 0 });
      return showNoSession();
    }),
  );
  return stack;
}

/** The folder of the session's notebook; otherwise the only one, or the one that the user picks. */
async function folderFor(sessionId: string, notebooks: Notebooks): Promise<WorkspaceFolder | undefined> {
  const notebook = notebooks.documentOf(sessionId);
  const own = notebook && workspace.getWorkspaceFolder(notebook.uri);
  const { workspaceFolders = [] } = workspace;
  const folder = own ?? (workspaceFolders.length > 1 ? await window.showWorkspaceFolderPick() : workspaceFolders[0]);
  if (folder?.uri.scheme === 'file') return folder;
  if (workspaceFolders.length === 0) window.showInformationMessage('Open a folder to save files to it.');
  return undefined;
}
