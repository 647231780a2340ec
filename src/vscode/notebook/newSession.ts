import {
  commands,
  NotebookCellData,
  NotebookCellKind,
  NotebookData,
  type NotebookDocument,
  type NotebookEditor,
  window,
  workspace,
} from 'vscode';
import type { EditorLanguage } from '../languages.ts';
import { NOTEBOOK_TYPE } from './controller.ts';

/** Opens an untitled notebook with the language's kernel and puts the cursor in its first cell. */
export async function newSession(language: EditorLanguage, extensionId: string): Promise<NotebookEditor> {
  const notebook = await workspace.openNotebookDocument(NOTEBOOK_TYPE, emptyNotebook(language));
  const notebookEditor = await selectKernel(notebook, language, extensionId);
  await commands.executeCommand('notebook.cell.edit');
  return notebookEditor;
}

/** Shows a notebook and selects the language's kernel. */
export async function selectKernel(
  notebook: NotebookDocument,
  { controller }: EditorLanguage,
  extensionId: string,
): Promise<NotebookEditor> {
  const notebookEditor = await window.showNotebookDocument(notebook);
  await commands.executeCommand('notebook.selectKernel', { notebookEditor, id: controller, extension: extensionId });
  return notebookEditor;
}

function emptyNotebook({ cells, kernelspec }: EditorLanguage): NotebookData {
  const data = new NotebookData([new NotebookCellData(NotebookCellKind.Code, '', cells)]);
  data.metadata = { metadata: { kernelspec, language_info: { name: kernelspec.language } } };
  return data;
}
