import assert from 'node:assert/strict';
import { ConfigurationTarget, commands, type NotebookCell, NotebookCellKind, Uri, window, workspace } from 'vscode';
import { test, until } from './harness.ts';
import { outputsOf } from './outputs.ts';

/** What the outputs of a notebook must have: MIME types, and a text. */
interface Expected {
  readonly mimes: readonly string[];
  readonly text: RegExp;
}

/** Tests of notebooks as people have them, with files beside them: every cell runs, from top to bottom. */
export function madeElsewhereTests(): void {
  test('sales.ipynb runs: CSV, own module, Styler, nested tqdm, seaborn, Parquet, Excel', () =>
    runAll('sales.ipynb', {
      mimes: ['text/html', 'image/png'],
      text: /figures are shown inline.*Revenue by month.*regions: 100%.*monthly\.parquet/s,
    }));

  test('flowers.ipynb runs: scikit-learn from the data to a confusion matrix', () =>
    runAll('flowers.ipynb', { mimes: ['text/html', 'image/png'], text: /Wall time.*macro avg.*True/s }));

  test('course.ipynb runs: magics of lines and cells, %run, the shell, help, formulas', () =>
    runAll('course.ipynb', {
      mimes: ['text/html', 'image/png'],
      text: /figures are shown inline.*helper ran with.*Help on function area.*per loop.*line 3.*Beautiful is better/s,
    }));
}

async function runAll(name: string, expected: Expected): Promise<void> {
  const section = workspace.getConfiguration('hothouse.workspaceFolder');
  await section.update('copy', 'always', ConfigurationTarget.Global);
  const cells = await open(name);
  try {
    void commands.executeCommand('notebook.execute');
    const isOver = ({ executionSummary }: NotebookCell) => executionSummary?.success !== undefined;
    await until(`the end of ${name}`, () => cells.every(isOver) || cells.some(hasFailed), 120);
    const outputs = cells.flatMap(outputsOf);
    const failed = cells.find(hasFailed);
    assert.equal(failed && `${failed.document.getText()}\n${JSON.stringify(outputsOf(failed))}`, undefined);
    for (const mime of expected.mimes)
      assert.ok(
        outputs.some((output) => output[mime] !== undefined),
        mime,
      );
    assert.match(outputs.flatMap((output) => Object.values(output)).join('\n'), expected.text);
  } finally {
    await section.update('copy', undefined, ConfigurationTarget.Global);
  }
}

async function open(name: string): Promise<NotebookCell[]> {
  const [folder] = workspace.workspaceFolders ?? [];
  if (!folder) throw new Error('No folder is open.');
  const notebook = await workspace.openNotebookDocument(Uri.joinPath(folder.uri, 'notebooks', name));
  const notebookEditor = await window.showNotebookDocument(notebook);
  const kernel = { notebookEditor, id: 'hothouse-python', extension: 'hothouse.hothouse' };
  await commands.executeCommand('notebook.selectKernel', kernel);
  return notebook.getCells().filter(({ kind }) => kind === NotebookCellKind.Code);
}

function hasFailed({ executionSummary }: NotebookCell): boolean {
  return executionSummary?.success === false;
}
