import { window } from 'vscode';
import type { Notebooks } from './notebooks.ts';

/** Id of the session of the active notebook; undefined where it has none yet. */
export function activeSession(notebooks: Notebooks): string | undefined {
  const uri = window.activeNotebookEditor?.notebook.uri;
  return uri && notebooks.find(uri)?.session.info?.id;
}

/** Says that there is none. */
export function showNoSession(): void {
  window.showInformationMessage('This notebook has no session yet. Run a cell to start one.');
}
