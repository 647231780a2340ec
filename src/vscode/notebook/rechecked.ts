import type { NotebookCell, NotebookController } from 'vscode';
import { CellOutput } from './cellOutput.ts';
import { type CheckReport, errorOf, recheckedSteps } from './reportSteps.ts';

/** Replaces what a cell shows by what is said of it now; its number and its times stay those of its run. */
export async function showRechecked(
  cell: NotebookCell,
  report: CheckReport,
  controller: NotebookController,
): Promise<void> {
  const { executionOrder, timing } = cell.executionSummary ?? {};
  const execution = controller.createNotebookCellExecution(cell);
  execution.executionOrder = executionOrder;
  execution.start(timing?.startTime);
  await new CellOutput(execution, new Map()).write(recheckedSteps(report));
  execution.end(errorOf(report) === null, timing?.endTime);
}
