import assert from 'node:assert/strict';
import {
  commands,
  type Diagnostic,
  DiagnosticSeverity,
  type Hover,
  type Location,
  type LocationLink,
  languages,
  MarkdownString,
  type NotebookCell,
  NotebookEdit,
  NotebookRange,
  Position,
  Range,
  WorkspaceEdit,
  workspace,
} from 'vscode';
import { test, until } from './harness.ts';
import { addCells, ended, execute, newNotebook, runCell, SharedNotebook } from './notebook.ts';
import { ERROR, STDERR, STDOUT, textOf } from './outputs.ts';

/** Tests of a Lean notebook session. */
export function leanTests(): void {
  const shared = new SharedNotebook();
  const notebook = () => shared.get();

  test('New Lean Session opens an untitled notebook that runs at once', async () => {
    const opened = await shared.open(newNotebook('hothouse.newLeanSession'));
    assert.equal(opened.notebookType, 'jupyter-notebook');
    assert.equal(opened.cellAt(0).document.languageId, 'lean4');
    const cell = await runCell(opened, 'def add (a b : Nat) : Nat := a + b\n#eval add 1 2');
    assert.equal(textOf(cell, STDOUT), '3\n');
    assert.equal(cell.executionSummary?.success, true);
    assert.equal(cell.executionSummary?.executionOrder, 1);
  });

  test('definitions persist, and each cell has its own main', async () => {
    const first = await runCell(notebook(), 'def main : IO Unit := IO.println "Function defined"');
    assert.equal(textOf(first, STDOUT), 'Function defined\n');
    const second = await runCell(notebook(), 'def main : IO Unit := IO.println (toString (add 10 20))');
    assert.equal(textOf(second, STDOUT), '30\n');
  });

  test('an error shows its position and a squiggle, and changes nothing', async () => {
    const cell = await runCell(notebook(), 'def kept := 1\n#eval ("𝔸", add 1 "x")');
    assert.equal(cell.executionSummary?.success, false);
    assert.match(textOf(cell, ERROR), /2:\d+: .*mismatch/);
    const error = (await errorsOf(cell)).find(({ message }) => message.includes('mismatch'));
    assert.match(cell.document.getText(error?.range), /^(add 1 )?"x"$/);
    assert.equal((await runCell(notebook(), '#eval kept')).executionSummary?.success, false);
    await replaceText(cell, '#eval add 1 2');
    await until('the end of its squiggles', () => languages.getDiagnostics(cell.document.uri).length === 0);
  });

  test('a missing proof shows its goal', async () => {
    const cell = await runCell(notebook(), 'theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  admit');
    assert.equal(cell.executionSummary?.success, true);
    const text = Buffer.from(textOf(cell, 'text/markdown'), 'latin1').toString();
    assert.match(text, /Incomplete.*```lean.*hp : p.*⊢ p ∧ q/s);
    assert.match(textOf(cell, STDERR), /\d:\d: warning:/);
  });

  test('editing a cell rechecks the cells after it', async () => {
    const [base, user] = await addCells(notebook(), 'def k : Nat := 1', '#eval k + 41');
    assert.ok(base && user);
    void execute([base, user]);
    await ended(user);
    assert.equal(textOf(user, STDOUT), '42\n');
    const order = user.executionSummary?.executionOrder;
    await rerun(base, 'def k : Nat := 100');
    await until('the new output', () => textOf(user, STDOUT) === '141\n');
    await until('its old number', () => user.executionSummary?.executionOrder === order);
    await rerun(base, 'def k : String := "no number"');
    await until('its error', () => textOf(user, ERROR) !== '');
    assert.ok((await errorsOf(user)).length > 0);
    await rerun(base, 'def k : Nat := 2');
    await until('the recheck', () => textOf(user, STDOUT) === '43\n' && textOf(user, ERROR) === '');
  });

  test('the declarations of a deleted cell can be declared again', async () => {
    const cell = await runCell(notebook(), 'def moved := 1');
    const edit = new WorkspaceEdit();
    edit.set(notebook().uri, [NotebookEdit.deleteCells(new NotebookRange(cell.index, cell.index + 1))]);
    await workspace.applyEdit(edit);
    const again = await runCell(notebook(), 'def moved := 2\n#eval moved');
    assert.equal(textOf(again, STDOUT), '2\n');
  });

  test('an emptied cell removes its declarations from the session', async () => {
    const cell = await runCell(notebook(), 'def emptied := 1');
    await rerun(cell, '');
    assert.equal(cell.executionSummary?.success, true);
    const again = await runCell(notebook(), 'def emptied := 2\n#eval emptied');
    assert.equal(textOf(again, STDOUT), '2\n');
  });

  test('hover, completions and definitions come from the session', async () => {
    const base = await runCell(notebook(), 'def addTwo (n : Nat) : Nat := n + 2');
    const [cell] = await addCells(notebook(), '#eval addTwo 3\n#check Nat.ad');
    assert.ok(cell);
    const { uri } = cell.document;
    const at = new Position(0, 8);
    const hovers = await until('a hover', async () => {
      const found: Hover[] = await commands.executeCommand('vscode.executeHoverProvider', uri, at);
      return found.length > 0 ? found : undefined;
    });
    assert.match(hovers.map(textOfHover).join(), /addTwo/);
    const found: (Location | LocationLink)[] = await commands.executeCommand(
      'vscode.executeDefinitionProvider',
      uri,
      at,
    );
    const [target] = found.map((place) =>
      'uri' in place ? place : { uri: place.targetUri, range: place.targetRange },
    );
    assert.equal(target?.uri.toString(), base.document.uri.toString());
    assert.match(base.document.getText(target?.range), /addTwo/);
    const list: { items: { label: string | { label: string } }[] } = await commands.executeCommand(
      'vscode.executeCompletionItemProvider',
      uri,
      cell.document.lineAt(1).range.end,
    );
    assert.ok(list.items.some(({ label }) => label === 'add'));
  });

  test('an interrupt stops an endless evaluation and keeps definitions', async () => {
    await runCell(notebook(), 'partial def spin (n : Nat) : Nat := spin (n + 1)');
    const [endless] = await addCells(notebook(), '#eval spin 0');
    assert.ok(endless);
    void execute([endless]);
    await until('its start', () => endless.executionSummary?.executionOrder);
    await commands.executeCommand('notebook.cancelExecution');
    await ended(endless);
    assert.equal(endless.executionSummary?.success, false);
    assert.equal(textOf(await runCell(notebook(), '#eval add 20 22'), STDOUT), '42\n');
  });

  test('Restart Session clears the definitions', async () => {
    await commands.executeCommand('hothouse.restartSession');
    const cell = await runCell(notebook(), '#eval add 1 2');
    assert.match(textOf(cell, ERROR), /add/);
    assert.equal(cell.executionSummary?.executionOrder, 1);
  });

  test('closing the notebook closes its Lean session', async () => {
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await until('the end of the notebook', () => notebook().isClosed);
  });
}

async function replaceText({ document }: NotebookCell, text: string): Promise<void> {
  const edit = new WorkspaceEdit();
  edit.replace(document.uri, new Range(new Position(0, 0), document.lineAt(document.lineCount - 1).range.end), text);
  await workspace.applyEdit(edit);
}

/** Replaces a cell's code, runs the cell and waits for its end. */
async function rerun(cell: NotebookCell, code: string): Promise<void> {
  const before = cell.executionSummary?.executionOrder;
  await replaceText(cell, code);
  void execute([cell]);
  await until('its next number', () => {
    const now = cell.executionSummary?.executionOrder;
    return now !== undefined && now !== before;
  });
  await ended(cell);
}

function errorsOf({ document }: NotebookCell): Promise<Diagnostic[]> {
  return until('squiggles', () => {
    const all = languages.getDiagnostics(document.uri);
    const errors = all.filter(({ severity }) => severity === DiagnosticSeverity.Error);
    return errors.length > 0 ? errors : undefined;
  });
}

function textOfHover({ contents }: Hover): string {
  return contents.map((part) => (part instanceof MarkdownString ? part.value : '')).join('');
}
