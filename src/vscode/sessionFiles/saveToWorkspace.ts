import path from 'node:path';
import { ProgressLocation, type QuickPickItem, Uri, type WorkspaceFolder, window, workspace } from 'vscode';
import type { Engine, Result } from '../../engine/types.ts';
import { formatBytes, formatCount, formatProblem, oneLine } from '../format.ts';
import type { FileNode } from './fileTree.ts';

const MAX_FILES = 1_000;

interface Item extends QuickPickItem {
  readonly path: string;
}

/**
 * Saves files of a session to the workspace, at the same paths relative to the folder: what was chosen in the tree, or
 * for a session what the user picks. Asks before it replaces a file.
 */
export async function saveToWorkspace(engine: Engine, node: FileNode, folder: WorkspaceFolder): Promise<void> {
  const listed = await filesBelow(engine, node);
  if (!listed.ok) return void window.showErrorMessage(formatProblem(listed.error));
  if (listed.value.length === 0) return void window.showInformationMessage('There are no files to save.');
  const items = await Promise.all(listed.value.map((file) => itemOf(file, folder)));
  const chosen = node.type === 'session' ? await pick(items) : items;
  if (!chosen || chosen.length === 0) return;
  const existing = chosen.filter(({ description }) => description?.includes(EXISTS));
  if (existing.length > 0 && !(await confirm(existing, folder))) return;
  await save(engine, node.sessionId, chosen, folder);
}

const EXISTS = 'exists in the workspace';

async function filesBelow(
  engine: Engine,
  { sessionId, path: folder, type, size }: FileNode,
): Promise<Result<readonly { path: string; size: number }[]>> {
  if (type !== 'folder' && type !== 'session') return { ok: true, value: [{ path: folder, size }] };
  const listed = await engine.files(sessionId).list(folder, { recursive: true, limit: MAX_FILES });
  if (!listed.ok) return listed;
  return { ok: true, value: listed.value.entries.filter((entry) => entry.type === 'file') };
}

async function itemOf(file: { path: string; size: number }, folder: WorkspaceFolder): Promise<Item> {
  const exists = await workspace.fs.stat(Uri.joinPath(folder.uri, file.path)).then(
    () => true,
    () => false,
  );
  const description = [formatBytes(file.size), ...(exists ? [EXISTS] : [])].join(', ');
  return { path: file.path, label: oneLine(file.path), description, picked: !exists };
}

function pick(items: readonly Item[]): Thenable<readonly Item[] | undefined> {
  return window.showQuickPick(items, {
    canPickMany: true,
    title: 'Save to Workspace',
    placeHolder: 'Files of the session to save',
  });
}

async function confirm(existing: readonly Item[], { name }: WorkspaceFolder): Promise<boolean> {
  const detail = existing
    .slice(0, 10)
    .map(({ label }) => label)
    .join('\n');
  const question = `Replace ${formatCount(existing.length, 'file')} of ${name}?`;
  return (await window.showWarningMessage(question, { modal: true, detail }, 'Replace')) === 'Replace';
}

async function save(engine: Engine, sessionId: string, items: readonly Item[], folder: WorkspaceFolder): Promise<void> {
  const { saveFile } = await import('../../local/saveFile.ts');
  const problems: string[] = [];
  const progress = { location: ProgressLocation.Window, title: `Saving files to ${folder.name}` };
  await window.withProgress(progress, async () => {
    for (const { path: file, label } of items) {
      const problem = await saveFile(folder.uri.fsPath, file, () => engine.files(sessionId).get(file), true);
      if (problem !== null) problems.push(`${label}: ${oneLine(problem)}`);
    }
  });
  const saved = items.length - problems.length;
  if (problems.length > 0) {
    const more = problems.length > 3 ? ` and ${problems.length - 3} more` : '';
    window.showErrorMessage(`Not saved: ${problems.slice(0, 3).join('; ')}${more}.`);
  }
  if (saved === 0) return;
  const open = saved === 1 && items.length === 1 ? 'Open' : undefined;
  const text = `Saved ${formatCount(saved, 'file')} to ${path.basename(folder.uri.fsPath)}.`;
  const chosen = await window.showInformationMessage(text, ...(open ? [open] : []));
  const [first] = items;
  if (chosen === open && open && first) await window.showTextDocument(Uri.joinPath(folder.uri, first.path));
}
