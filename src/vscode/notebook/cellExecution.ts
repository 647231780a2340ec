import type { NotebookCellExecution } from 'vscode';

/** Ends a cell's execution, also one that the editor has ended already because its cell or its notebook is gone. */
export function endExecution(execution: NotebookCellExecution, success: boolean | undefined, endTime?: number): void {
  try {
    execution.end(success, endTime);
  } catch {
    // Nothing is left to be ended.
  }
}
