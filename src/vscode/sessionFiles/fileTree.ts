import { EventEmitter, ThemeIcon, type TreeDataProvider, TreeItem, TreeItemCollapsibleState } from 'vscode';
import type { FileEntry } from '../../engine/files/types.ts';
import type { SessionInfo } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';
import { formatBytes, oneLine } from '../format.ts';
import { nameOf, type SessionFile, uriOf } from './fileSystem.ts';

/** A session, or a file or folder in it; commands receive it. */
export type FileNode = SessionFile & { readonly type: FileEntry['type'] | 'session'; readonly size: number };

/** The files of all open sessions, each folder read when it is opened. */
export class FileTree implements TreeDataProvider<FileNode> {
  readonly #handle: EngineHandle;
  readonly #labelOf: (session: SessionInfo) => string;
  readonly #changed = new EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #runs = '';

  constructor(handle: EngineHandle, labelOf: (session: SessionInfo) => string) {
    this.#handle = handle;
    this.#labelOf = labelOf;
  }

  /** Reads everything that is shown again. */
  refresh(): void {
    this.#changed.fire(undefined);
  }

  /** The same, if a session was opened or closed or has run something since. */
  refreshAfterRuns(): void {
    const runs = this.#sessions()
      .map(({ id, runs, state }) => `${id} ${runs} ${state}`)
      .join();
    if (runs !== this.#runs) this.refresh();
    this.#runs = runs;
  }

  async getChildren(node?: FileNode): Promise<FileNode[]> {
    if (!node) return this.#sessions().map(({ id }) => ({ sessionId: id, path: '', type: 'session', size: 0 }));
    const listed = await this.#handle.current?.files(node.sessionId).list(node.path);
    if (!listed?.ok) return [];
    const nodes = listed.value.entries.map(({ path, type, size }) => ({ sessionId: node.sessionId, path, type, size }));
    return [...nodes.filter(({ type }) => type === 'folder'), ...nodes.filter(({ type }) => type !== 'folder')];
  }

  getTreeItem(node: FileNode): TreeItem {
    return node.type === 'session' ? this.#sessionItem(node) : fileItem(node);
  }

  #sessionItem({ sessionId }: FileNode): TreeItem {
    const session = this.#sessions().find(({ id }) => id === sessionId);
    const item = new TreeItem(oneLine(session ? this.#labelOf(session) : sessionId), TreeItemCollapsibleState.Expanded);
    item.id = sessionId;
    item.description = sessionId;
    item.iconPath = new ThemeIcon('notebook');
    item.contextValue = 'files-session';
    return item;
  }

  #sessions(): readonly SessionInfo[] {
    return this.#handle.snapshot().sessions.filter(({ state }) => state === 'idle' || state === 'busy');
  }
}

function fileItem(node: FileNode): TreeItem {
  const { path, type, size, sessionId } = node;
  const isFolder = type === 'folder';
  const item = new TreeItem(
    oneLine(nameOf(node)),
    isFolder ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
  );
  item.id = `${sessionId}/${path}`;
  item.tooltip = oneLine(path);
  item.contextValue = `files-${type}`;
  item.iconPath = isFolder ? ThemeIcon.Folder : type === 'file' ? ThemeIcon.File : new ThemeIcon('file-symlink-file');
  if (type !== 'file') return item;
  item.resourceUri = uriOf(node);
  item.description = formatBytes(size);
  item.command = { command: 'vscode.open', title: 'Open', arguments: [uriOf(node)] };
  return item;
}
