import type { NotebookCell, NotebookCellExecution, NotebookController } from 'vscode';
import { CellOutput } from './output/cellOutput.ts';
import { type CheckReport, errorOf, recheckedSteps } from './output/reportSteps.ts';
import { ShownDisplays } from './output/shownDisplays.ts';

/** Ends a cell's execution, also one that the editor has ended already because its cell or its notebook is gone. */
export function endExecution(execution: NotebookCellExecution, success: boolean | undefined, endTime?: number): void {
  try {
    execution.end(success, endTime);
  } catch {
    // Nothing is left to be ended.
  }
}

/**
 * Replaces what a cell shows by what is said of it now; its number and its times stay those of its run. False when the
 * editor does not let it: the cell is gone, or runs.
 */
export async function showRechecked(
  cell: NotebookCell,
  report: CheckReport,
  controller: NotebookController,
): Promise<boolean> {
  const { executionOrder, timing } = cell.executionSummary ?? {};
  const execution = started(cell, controller, timing?.startTime);
  if (!execution) return false;
  try {
    execution.executionOrder = executionOrder;
    await new CellOutput(execution, new ShownDisplays()).write(recheckedSteps(report));
  } finally {
    endExecution(execution, errorOf(report) === null, timing?.endTime);
  }
  return true;
}

function started(cell: NotebookCell, controller: NotebookController, at?: number): NotebookCellExecution | undefined {
  try {
    const execution = controller.createNotebookCellExecution(cell);
    execution.start(at);
    return execution;
  } catch {
    return undefined;
  }
}
