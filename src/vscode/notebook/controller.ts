import { type Disposable, type NotebookController, type NotebookDocument, notebooks } from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import type { Notebooks } from './notebooks.ts';

/** Id of the kernel; with the extension's id before it, what `notebookKernel` is in when clauses. */
export const CONTROLLER = 'hothouse-python';
export const NOTEBOOK_TYPE = 'jupyter-notebook';

/** Offers our kernel for every .ipynb. */
export function registerController(active: Notebooks): Disposable {
  const controller = notebooks.createNotebookController(
    CONTROLLER,
    NOTEBOOK_TYPE,
    'Hothouse: Python (sealed container)',
    (cells, notebook, used) => active.of(notebook).queue.add(cells, used),
  );
  describe(controller, active);
  const stack = new DisposableStack();
  stack.add(controller);
  stack.add(
    controller.onDidChangeSelectedNotebooks(({ notebook, selected }) => {
      if (!selected) active.release(notebook);
    }),
  );
  return stack;
}

function describe(controller: NotebookController, active: Notebooks): void {
  controller.supportedLanguages = ['python'];
  controller.supportsExecutionOrder = true;
  controller.description = 'warm, without network';
  controller.interruptHandler = (notebook: NotebookDocument) => active.find(notebook.uri)?.queue.interrupt();
}
