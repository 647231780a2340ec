import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationTarget, commands, WorkspaceEdit, workspace } from 'vscode';
import { test, until } from './harness.ts';
import { notebookFile, runCell, SharedNotebook } from './notebook.ts';
import { outputsOf, STDOUT, textOf } from './outputs.ts';

const FILES: Readonly<Record<string, string>> = {
  'project/data/sales.csv': 'month,total\n1,20\n2,22\n',
  'project/helpers.py': 'def double(x): return 2 * x\n',
  'project/.gitignore': 'cache/\n',
  'project/cache/large.bin': 'x',
  'project/.env': 'TOKEN=secret',
  'shared.txt': 'from the folder above',
};

/** Tests of the workspace folder in a session. */
export function workspaceFolderTests(): void {
  const shared = new SharedNotebook();
  const notebook = () => shared.get();

  test('a notebook reads the files and modules beside it once the folder may be copied', async () => {
    writeFiles();
    symlinkSync('/etc/passwd', path.join(root(), 'project/link.txt'));
    await setMode('always');
    const opened = await shared.open(notebookFile('project/report.ipynb'));
    const code = 'import pandas as pd, helpers\nint(helpers.double(pd.read_csv("data/sales.csv").total.sum()))';
    assert.deepEqual(outputsOf(await runCell(opened, code)), [{ 'text/plain': '84' }]);
    const cell = await runCell(opened, 'import os; print(os.getcwd(), open("../shared.txt").read())');
    assert.equal(textOf(cell, STDOUT), '/workspace/project from the folder above\n');
  });

  test('the copy has no secrets, no ignored files and no links that lead out of the folder', async () => {
    const cell = await runCell(notebook(), 'print(sorted(os.listdir()))');
    assert.equal(textOf(cell, STDOUT), "['.gitignore', 'data', 'helpers.py', 'report.ipynb']\n");
  });

  test('what the session writes stays in the session', async () => {
    await runCell(notebook(), 'open("result.txt", "w").write("x"); open("helpers.py", "a").write("x = 1")');
    assert.ok(!readdirSync(path.join(root(), 'project')).includes('result.txt'));
    const bytes = await workspace.fs.readFile(notebook().uri.with({ path: path.join(root(), 'project/helpers.py') }));
    assert.equal(Buffer.from(bytes).toString(), FILES['project/helpers.py']);
  });

  test('Save Files to Workspace saves the files that the workspace does not have', async () => {
    await runCell(notebook(), 'import os; os.makedirs(".git/hooks"); open(".git/hooks/pre-commit", "w").write("x")');
    const saving = commands.executeCommand('hothouse.session.saveFiles');
    const file = path.join(root(), 'project/result.txt');
    await until('the saved file', async () => {
      await commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return existsSync(file);
    });
    void saving;
    assert.equal(readFileSync(file, 'utf8'), 'x');
    assert.equal(readFileSync(path.join(root(), 'project/helpers.py'), 'utf8'), FILES['project/helpers.py']);
    assert.ok(!existsSync(path.join(root(), 'project/.git')));
    rmSync(file);
  });

  test('a restarted session has the files again', async () => {
    await commands.executeCommand('hothouse.restartSession');
    const cell = await runCell(
      notebook(),
      'import helpers, os\nprint(helpers.double(4), os.path.exists("result.txt"))',
    );
    assert.equal(textOf(cell, STDOUT), '8 False\n');
    assert.equal(cell.executionSummary?.executionOrder, 1);
  });

  test('a live view is read, follows changes, refuses writes and has no secrets', async () => {
    await setMode('view');
    const live = await notebookFile('project/live.ipynb');
    const code = 'import os, helpers; print(os.getcwd(), helpers.double(2), sorted(os.listdir()))';
    const listed = "['.gitignore', 'data', 'helpers.py', 'live.ipynb', 'report.ipynb']";
    const first = await runCell(live, code);
    const shown = `/view/files/project 4 ${listed}\n`;
    assert.equal(textOf(first, STDOUT), shown, JSON.stringify(outputsOf(first)));
    const csv = path.join(root(), 'project/data/sales.csv');
    const document = await workspace.openTextDocument(csv);
    const edit = new WorkspaceEdit();
    edit.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, '3,58\n');
    await workspace.applyEdit(edit);
    await document.save();
    const sum = 'import pandas as pd; print(pd.read_csv("data/sales.csv").total.sum())';
    assert.equal(textOf(await runCell(live, sum), STDOUT), '100\n');
    const refused = outputsOf(await runCell(live, 'open("out.csv", "w")'));
    assert.match(JSON.stringify(refused), /PermissionError.*Write to \/workspace/);
    writeFileSync(path.join(root(), 'project/.env'), 'TOKEN=another');
    writeFileSync(path.join(root(), 'project/late.txt'), 'seen by the watcher');
    rmSync(path.join(root(), 'project/.gitignore'));
    await until('the change of another program', async () => {
      const seen = textOf(await runCell(live, 'print(sorted(os.listdir()))'), STDOUT);
      return seen === "['cache', 'data', 'helpers.py', 'late.txt', 'live.ipynb', 'report.ipynb']\n";
    });
  });

  test('a session has no files of the folder unless the user has agreed', async () => {
    await setMode(undefined);
    const other = await notebookFile('project/other.ipynb');
    assert.equal(
      textOf(await runCell(other, 'import os; print(os.getcwd(), os.listdir())'), STDOUT),
      '/workspace []\n',
    );
    // Other tests open the same folder, and would be asked about it.
    for (const name of ['project', 'shared.txt']) rmSync(path.join(root(), name), { recursive: true });
  });
}

function root(): string {
  const folder = workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('No folder is open.');
  return folder.uri.fsPath;
}

function writeFiles(): void {
  for (const [name, content] of Object.entries(FILES)) {
    const file = path.join(root(), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

async function setMode(mode: string | undefined): Promise<void> {
  await workspace.getConfiguration('hothouse.workspaceFolder').update('copy', mode, ConfigurationTarget.Global);
}
