import type { NotebookCell, NotebookCellExecution, NotebookController } from 'vscode';
import type { CodeReport } from '../../engine/types.ts';
import type { EditorLanguage } from '../languages.ts';
import { CellOutput } from './output/cellOutput.ts';
import { errorOf, recheckedSteps } from './output/reportSteps.ts';
import { ShownDisplays } from './output/shownDisplays.ts';

/** Ends an execution; does nothing when VS Code has ended it because the cell or notebook is gone. */
export function endExecution(execution: NotebookCellExecution, success: boolean | undefined, endTime?: number): void {
  try {
    execution.end(success, endTime);
  } catch {
    // VS Code throws for an execution that has ended.
  }
}

/**
 * Replaces a cell's outputs by those of a new report; execution order and times stay. False when VS Code rejects the
 * execution, because the cell is gone or runs.
 */
export async function showRechecked(
  cell: NotebookCell,
  { report, language }: { readonly report: CodeReport; readonly language: EditorLanguage },
  controller: NotebookController,
): Promise<boolean> {
  const { executionOrder, timing } = cell.executionSummary ?? {};
  const execution = startAt(cell, controller, timing?.startTime);
  if (!execution) return false;
  try {
    execution.executionOrder = executionOrder;
    await new CellOutput(execution, new ShownDisplays()).write(recheckedSteps(report, language));
  } finally {
    endExecution(execution, errorOf(report) === null, timing?.endTime);
  }
  return true;
}

function startAt(cell: NotebookCell, controller: NotebookController, at?: number): NotebookCellExecution | undefined {
  try {
    const execution = controller.createNotebookCellExecution(cell);
    execution.start(at);
    return execution;
  } catch {
    return undefined;
  }
}
