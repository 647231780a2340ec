import {
  type Disposable,
  extensions,
  type NotebookController,
  NotebookControllerAffinity,
  type NotebookDocument,
  workspace,
} from 'vscode';
import type { EditorLanguage } from '../languages.ts';

/** Has kernels of its own for Python, and lets people choose among them. */
const JUPYTER = 'ms-toolsai.jupyter';

/** Suggests the kernel for notebooks in its language, unless it is for others to suggest one. */
export function followAffinity(controller: NotebookController, { id, cells }: EditorLanguage): Disposable {
  const suggest = (notebook: NotebookDocument) => {
    if (notebook.notebookType !== controller.notebookType || languageOf(notebook) !== cells) return;
    if (id === 'python' && extensions.getExtension(JUPYTER)) return;
    controller.updateNotebookAffinity(notebook, NotebookControllerAffinity.Preferred);
  };
  for (const notebook of workspace.notebookDocuments) suggest(notebook);
  return workspace.onDidOpenNotebookDocument(suggest);
}

/** That of the first cell that holds code. */
function languageOf(notebook: NotebookDocument): string | undefined {
  return notebook.getCells().find(({ document }) => document.languageId !== 'markdown')?.document.languageId;
}
