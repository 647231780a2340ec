import assert from 'node:assert/strict';
import {
  commands,
  type NotebookCell,
  NotebookCellData,
  NotebookCellKind,
  type NotebookDocument,
  NotebookEdit,
  NotebookRange,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { until } from './harness.ts';
import { ERROR, STDOUT, textOf } from './outputs.ts';

/** The notebook of a group of tests: the first one opens it, the others use it. */
export class SharedNotebook {
  #notebook: NotebookDocument | undefined;

  async open(opening: Promise<NotebookDocument>): Promise<NotebookDocument> {
    this.#notebook = await opening;
    return this.#notebook;
  }

  /** Throws before `open`. */
  get(): NotebookDocument {
    if (!this.#notebook) throw new Error('No notebook was opened.');
    return this.#notebook;
  }
}

/** Opens a notebook with one of our commands. */
export async function newNotebook(command = 'hothouse.newPythonSession'): Promise<NotebookDocument> {
  const before = window.activeNotebookEditor?.notebook;
  await commands.executeCommand(command);
  return until('the new notebook', () => {
    const notebook = window.activeNotebookEditor?.notebook;
    return notebook === before ? undefined : notebook;
  });
}

/** Writes a Python notebook with an empty cell to the workspace and opens it with our kernel. */
export async function notebookFile(name: string): Promise<NotebookDocument> {
  const [folder] = workspace.workspaceFolders ?? [];
  if (!folder) throw new Error('No folder is open.');
  const uri = Uri.joinPath(folder.uri, name);
  const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } };
  const cells = [{ cell_type: 'code', metadata: {}, source: '', outputs: [], execution_count: null }];
  await workspace.fs.writeFile(uri, Buffer.from(JSON.stringify({ metadata, cells, nbformat: 4, nbformat_minor: 5 })));
  const notebook = await workspace.openNotebookDocument(uri);
  const notebookEditor = await window.showNotebookDocument(notebook);
  const kernel = { notebookEditor, id: 'hothouse-python', extension: 'hothouse.hothouse' };
  await commands.executeCommand('notebook.selectKernel', kernel);
  return notebook;
}

/** Appends cells in the language of the first cell. */
export async function addCells(notebook: NotebookDocument, ...codes: string[]): Promise<NotebookCell[]> {
  const at = notebook.cellCount;
  const { languageId } = notebook.cellAt(0).document;
  const cells = codes.map((code) => new NotebookCellData(NotebookCellKind.Code, code, languageId));
  const edit = new WorkspaceEdit();
  edit.set(notebook.uri, [NotebookEdit.insertCells(at, cells)]);
  await workspace.applyEdit(edit);
  return codes.map((_, index) => notebook.cellAt(at + index));
}

/** Starts adjacent cells; resolves when VS Code's command does. */
export function execute(cells: readonly NotebookCell[]): Thenable<unknown> {
  const [first] = cells;
  if (!first) throw new Error('No cell was given.');
  return commands.executeCommand('notebook.cell.execute', {
    ranges: [new NotebookRange(first.index, first.index + cells.length)].map(({ start, end }) => ({ start, end })),
    document: first.notebook.uri,
  });
}

/** Appends a cell, runs it and waits for its end. */
export async function runCell(notebook: NotebookDocument, code: string): Promise<NotebookCell> {
  const [cell] = await addCells(notebook, code);
  if (!cell) throw new Error('The cell was not added.');
  void execute([cell]);
  await ended(cell);
  return cell;
}

/** Waits for a cell's end. */
export function ended(cell: NotebookCell): Promise<unknown> {
  return until(`the end of ${cell.document.getText()}`, () => cell.executionSummary?.timing?.endTime, 60);
}

/** Runs `code` and then an endless loop, and interrupts that; the cell must end with `KeyboardInterrupt`. */
export async function interruptEndless(notebook: NotebookDocument, code: string): Promise<void> {
  const [cell] = await addCells(notebook, `${code}\nprint("going", flush=True)\nwhile True: pass`);
  assert.ok(cell);
  void execute([cell]);
  await until('its first output', () => textOf(cell, STDOUT).includes('going'));
  await commands.executeCommand('notebook.cancelExecution');
  await ended(cell);
  assert.match(textOf(cell, ERROR), /KeyboardInterrupt/);
}
