import path from 'node:path';
import {
  type Disposable,
  EventEmitter,
  type NotebookCell,
  NotebookCellStatusBarAlignment,
  NotebookCellStatusBarItem,
  type NotebookDocument,
  notebooks,
  window,
} from 'vscode';
import { DisposableStack } from '../../base/disposable.ts';
import { plainText } from '../../base/log.ts';
import type { App } from '../app.ts';
import { throttled } from '../throttle.ts';
import { NOTEBOOK_TYPE } from './controller.ts';
import type { ActiveNotebook, Notebooks } from './notebooks.ts';

/** Shows a warning that a notebook's session ended; `reason` as in `it ran out of memory`. */
export async function notifyLoss(notebook: NotebookDocument, reason: string): Promise<void> {
  const show = 'Show Notebook';
  const name = path.basename(notebook.uri.path);
  const chosen = await window.showWarningMessage(`The session of ${name} ended: ${lossText(reason)}`, show);
  if (chosen === show) await window.showNotebookDocument(notebook);
}

/** Marks the cells of a notebook whose session ended, until a cell starts a new one. */
export function registerLossStatus({ engine }: App, active: Notebooks): Disposable {
  const stack = new DisposableStack();
  const changed = stack.add(new EventEmitter<void>());
  const redraw = stack.add(throttled(() => changed.fire()));
  stack.add(engine.onDidChange(redraw.trigger));
  stack.add(
    notebooks.registerNotebookCellStatusBarItemProvider(NOTEBOOK_TYPE, {
      onDidChangeCellStatusBarItems: changed.event,
      provideCellStatusBarItems: (cell) => itemOf(cell, active.find(cell.notebook.uri)),
    }),
  );
  return stack;
}

/** Only cells that ran in the session are marked. */
function itemOf({ document }: NotebookCell, entry: ActiveNotebook | undefined): NotebookCellStatusBarItem | undefined {
  const reason = entry?.session.loss ?? null;
  if (reason === null || entry?.names.find(document.uri.toString()) === undefined) return undefined;
  const item = new NotebookCellStatusBarItem('$(warning) Session ended', NotebookCellStatusBarAlignment.Left);
  item.tooltip = `The session ended: ${lossText(reason)}`;
  return item;
}

function lossText(reason: string): string {
  return `${plainText(reason)}. Its variables are lost. The next cell starts a new session.`;
}
