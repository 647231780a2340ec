import assert from 'node:assert/strict';
import { commands, extensions } from 'vscode';
import packageJson from '../../../package.json' with { type: 'json' };
import { displayTests } from './displayTests.ts';
import { report, runTests, test } from './harness.ts';
import { leanTests } from './leanTests.ts';
import { lossTests } from './lossTests.ts';
import { madeElsewhereTests } from './madeElsewhereTests.ts';
import { mcpTests } from './mcpTests.ts';
import { notebookTests } from './notebookTests.ts';
import { workspaceFolderTests } from './workspaceFolderTests.ts';

/** The entry point that VS Code calls in the extension host; resolves when every test passed. */
export async function run(): Promise<void> {
  test('the extension activates', async () => {
    const extension = extensions.getExtension('hothouse.hothouse');
    assert.ok(extension);
    const started = performance.now();
    await extension.activate();
    report(`# activation, with loading: ${(performance.now() - started).toFixed(1)} ms`);
    assert.ok(extension.isActive);
  });

  test('every command in package.json exists', async () => {
    const known = await commands.getCommands(true);
    for (const { command } of packageJson.contributes.commands) assert.ok(known.includes(command), command);
  });

  const { notebook } = notebookTests();
  displayTests();
  mcpTests(notebook);
  workspaceFolderTests();
  madeElsewhereTests();
  lossTests();
  if (process.env.E2E_LEAN) leanTests();
  await runTests();
}
