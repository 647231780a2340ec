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
import { CONTROLLER, NOTEBOOK_TYPE } from './controller.ts';

/** Opens an untitled notebook with our kernel chosen and the cursor in its first cell. */
export async function newPythonSession(extensionId: string): Promise<NotebookEditor> {
  const notebook = await workspace.openNotebookDocument(NOTEBOOK_TYPE, emptyNotebook());
  const notebookEditor = await chooseKernel(notebook, extensionId);
  await commands.executeCommand('notebook.cell.edit');
  return notebookEditor;
}

/** Shows a notebook and chooses our kernel for it. */
export async function chooseKernel(notebook: NotebookDocument, extensionId: string): Promise<NotebookEditor> {
  const notebookEditor = await window.showNotebookDocument(notebook);
  await commands.executeCommand('notebook.selectKernel', { notebookEditor, id: CONTROLLER, extension: extensionId });
  return notebookEditor;
}

function emptyNotebook(): NotebookData {
  const data = new NotebookData([new NotebookCellData(NotebookCellKind.Code, '', 'python')]);
  data.metadata = {
    metadata: {
      kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
      language_info: { name: 'python' },
    },
  };
  return data;
}
