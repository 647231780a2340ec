import assert from 'node:assert/strict';
import { commands, type NotebookDocument, window } from 'vscode';
import { test, until } from './harness.ts';
import { addCells, ended, execute, interruptEndless, newNotebook, runCell, SharedNotebook } from './notebook.ts';
import { ERROR, outputsOf, STDERR, STDOUT, textOf } from './outputs.ts';

/** Tests of a notebook session; the first test opens `notebook`. */
export function notebookTests(): { notebook(): NotebookDocument } {
  const shared = new SharedNotebook();
  const notebook = () => shared.get();

  test('New Python Session opens an untitled notebook that runs at once', async () => {
    const opened = await shared.open(newNotebook());
    assert.equal(opened.notebookType, 'jupyter-notebook');
    const cell = await runCell(opened, 'x = 41\nprint("hello")');
    assert.equal(textOf(cell, STDOUT), 'hello\n');
    assert.equal(cell.executionSummary?.success, true);
    assert.equal(cell.executionSummary?.executionOrder, 1);
  });

  test('cells share variables, imports and functions', async () => {
    await runCell(notebook(), 'import math\ndef add(n): return x + n');
    const cell = await runCell(notebook(), 'add(1) * math.floor(1.9)');
    assert.deepEqual(outputsOf(cell), [{ 'text/plain': '42' }]);
    assert.equal(cell.executionSummary?.executionOrder, 3);
  });

  test('stdout and stderr are separate and in order', async () => {
    const code = 'import sys\nprint("a", flush=True); print("b", file=sys.stderr, flush=True); print("c")';
    const cell = await runCell(notebook(), code);
    assert.equal(textOf(cell, STDOUT), 'a\nc\n');
    assert.equal(textOf(cell, STDERR), 'b\n');
  });

  test('long output arrives complete', async () => {
    const cell = await runCell(notebook(), 'for i in range(20000): print(i)');
    assert.equal(textOf(cell, STDOUT).trim().split('\n').length, 20_000);
  });

  test('a data frame has HTML, a plot is a PNG', async () => {
    const frame = await runCell(notebook(), 'import pandas as pd\npd.DataFrame({"n": [1, 2]})');
    assert.match(textOf(frame, 'text/html'), /<table/);
    assert.match(textOf(frame, 'text/plain'), /n/);
    const plot = await runCell(notebook(), 'import matplotlib.pyplot as plt\nplt.plot([1, 2, 4]);');
    assert.ok(textOf(plot, 'image/png').startsWith('\x89PNG\r\n'), JSON.stringify(outputsOf(plot).map(Object.keys)));
  });

  test('a display is updated in place and output is cleared', async () => {
    const code = [
      'from IPython.display import display, clear_output',
      'print("gone"); clear_output()',
      'handle = display("first", display_id=True)',
      'handle.update("second")',
    ].join('\n');
    const cell = await runCell(notebook(), code);
    assert.match(textOf(cell, 'text/plain'), /second/);
    assert.equal(textOf(cell, STDOUT), '');
  });

  test('an error shows its traceback and drops the waiting cells', async () => {
    const [wrong, next] = await addCells(notebook(), 'def divide(a):\n    return a / 0\ndivide(1)', 'print("not me")');
    assert.ok(wrong && next);
    await execute([wrong, next]);
    await ended(wrong);
    const error: unknown = JSON.parse(textOf(wrong, ERROR));
    assert.ok(typeof error === 'object' && error !== null && 'name' in error && 'stack' in error);
    assert.equal(error.name, 'ZeroDivisionError');
    assert.match(String(error.stack), /divide/);
    assert.equal(wrong.executionSummary?.success, false);
    assert.deepEqual(next.outputs, []);
    assert.equal(next.executionSummary?.executionOrder, undefined);
  });

  test('an interrupt stops an endless cell and keeps variables', async () => {
    await interruptEndless(notebook(), 'y = 7');
    assert.deepEqual(outputsOf(await runCell(notebook(), 'x + y')), [{ 'text/plain': '48' }]);
  });

  test('completions propose variables of the session', async () => {
    await runCell(notebook(), 'greenhouse_temperature = 21');
    const [cell] = await addCells(notebook(), 'greenhouse_t');
    assert.ok(cell);
    const found = await until('completions', async () => {
      const list: { items: { label: string | { label: string } }[] } = await commands.executeCommand(
        'vscode.executeCompletionItemProvider',
        cell.document.uri,
        cell.document.lineAt(0).range.end,
      );
      return list.items.some(({ label }) => label === 'greenhouse_temperature');
    });
    assert.ok(found);
  });

  test('Restart Session clears variables and the execution order', async () => {
    await commands.executeCommand('hothouse.restartSession');
    const cell = await runCell(notebook(), 'x');
    assert.match(textOf(cell, ERROR), /NameError/);
    assert.equal(cell.executionSummary?.executionOrder, 1);
  });

  test('the next cell runs after the session ran out of memory', async () => {
    await runCell(notebook(), 'kept = 1');
    const cell = await runCell(notebook(), 'hog = bytearray(4 * 1024 ** 3)\nhog[::4096] = b"x" * len(hog[::4096])');
    assert.equal(cell.executionSummary?.success, false);
    assert.match(textOf(cell, ERROR), /memory/i);
    const after = await runCell(notebook(), '1 + 1');
    assert.deepEqual(outputsOf(after), [{ 'text/plain': '2' }]);
  });

  test('two notebooks have two sessions', async () => {
    await runCell(notebook(), 'mine = 1');
    const other = await newNotebook();
    assert.match(textOf(await runCell(other, 'mine'), ERROR), /NameError/);
    await window.showNotebookDocument(notebook());
  });

  return { notebook };
}
