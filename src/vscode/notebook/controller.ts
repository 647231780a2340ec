import {
  type Disposable,
  extensions,
  type NotebookController,
  NotebookControllerAffinity,
  type NotebookDocument,
  notebooks,
  workspace,
} from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { ALL_LANGUAGES, type EditorLanguage } from '../languages.ts';
import type { Notebooks } from './notebooks.ts';

export const NOTEBOOK_TYPE = 'jupyter-notebook';

/** Registers a kernel for each language. */
export function registerControllers(active: Notebooks): Disposable {
  const stack = new DisposableStack();
  for (const language of ALL_LANGUAGES) stack.add(registerController(language, active));
  return stack;
}

function registerController(language: EditorLanguage, active: Notebooks): Disposable {
  const controller = notebooks.createNotebookController(
    language.controller,
    NOTEBOOK_TYPE,
    `Hothouse: ${language.name}`,
    (cells, notebook, used) => active.of(notebook, language.id, used).queue.add(cells, used),
  );
  configure(controller, language, active);
  const stack = new DisposableStack();
  stack.add(controller);
  stack.add(suggestKernel(controller, language));
  stack.add(
    controller.onDidChangeSelectedNotebooks(({ notebook, selected }) => {
      if (selected) active.selected(notebook, language.id, controller);
      else active.release(notebook, language.id);
    }),
  );
  return stack;
}

function configure(controller: NotebookController, { cells }: EditorLanguage, active: Notebooks): void {
  controller.supportedLanguages = [cells];
  controller.supportsExecutionOrder = true;
  controller.description = 'Warm, sealed sandbox';
  controller.interruptHandler = (notebook: NotebookDocument) => active.find(notebook.uri)?.queue.interrupt();
}

/** Suggests the kernel for notebooks in its language, unless another extension offers kernels for it. */
function suggestKernel(controller: NotebookController, { cells, otherKernels }: EditorLanguage): Disposable {
  const suggest = (notebook: NotebookDocument) => {
    if (notebook.notebookType !== controller.notebookType || languageOf(notebook) !== cells) return;
    if (otherKernels !== undefined && extensions.getExtension(otherKernels)) return;
    controller.updateNotebookAffinity(notebook, NotebookControllerAffinity.Preferred);
  };
  for (const notebook of workspace.notebookDocuments) suggest(notebook);
  return workspace.onDidOpenNotebookDocument(suggest);
}

/** The language of the first code cell. */
function languageOf(notebook: NotebookDocument): string | undefined {
  return notebook.getCells().find(({ document }) => document.languageId !== 'markdown')?.document.languageId;
}
