import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationTarget, commands, workspace } from 'vscode';
import { test } from './harness.ts';
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
    const root = writeFiles();
    symlinkSync('/etc/passwd', path.join(root, 'project/link.txt'));
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
    const root = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert.ok(!readdirSync(path.join(root, 'project')).includes('result.txt'));
    const bytes = await workspace.fs.readFile(notebook().uri.with({ path: path.join(root, 'project/helpers.py') }));
    assert.equal(Buffer.from(bytes).toString(), FILES['project/helpers.py']);
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

  test('a session has no files of the folder unless the user has agreed', async () => {
    await setMode(undefined);
    const other = await notebookFile('project/other.ipynb');
    assert.equal(
      textOf(await runCell(other, 'import os; print(os.getcwd(), os.listdir())'), STDOUT),
      '/workspace []\n',
    );
  });
}

function writeFiles(): string {
  const root = workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (root === undefined) throw new Error('No folder is open.');
  for (const [name, content] of Object.entries(FILES)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return root;
}

async function setMode(mode: string | undefined): Promise<void> {
  await workspace.getConfiguration('hothouse.workspaceFolder').update('copy', mode, ConfigurationTarget.Global);
}
