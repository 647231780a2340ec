import assert from 'node:assert/strict';
import {
  CancellationTokenSource,
  ConfigurationTarget,
  commands,
  LanguageModelTextPart,
  lm,
  type NotebookDocument,
  window,
  workspace,
} from 'vscode';
import { test, until } from './harness.ts';
import { runCell } from './notebook.ts';
import { outputsOf } from './outputs.ts';

const SERVER = 'hothouse.hothouse/Hothouse';
const TOOLS = ['run_code', 'open_session', 'close_session', 'list_sessions', 'interrupt_session'];

/** Tests of the tools for agents in VS Code, which use the engine of `notebook`. */
export function mcpTests(notebook: () => NotebookDocument): void {
  test('the MCP tools are listed in vscode.lm.tools', async () => {
    await until('the tools', async () => {
      await commands.executeCommand('workbench.mcp.startServer', SERVER);
      return TOOLS.every((name) => toolNamed(name));
    });
  });

  test('an agent runs code with run_code', async () => {
    const answer = await callTool('run_code', { language: 'python', code: 'print("from an agent"); 6 * 7' });
    assert.match(answer, /from an agent/);
    assert.match(answer, /42/);
  });

  test('an agent sees the session of a notebook while a person shares it, and runs code in it', async () => {
    await runCell(notebook(), 'shared = 20');
    assert.doesNotMatch(await callTool('list_sessions', {}), /Untitled/);
    await window.showNotebookDocument(notebook());
    await shareActive();
    const listed = await callTool('list_sessions', {});
    const id = /"session_id":\s*"([^"]+)"(?:(?!"session_id").)*Untitled/s.exec(listed)?.[1] ?? '';
    assert.notEqual(id, '', listed);
    await callTool('run_code', { language: 'python', code: 'shared += 1', session_id: id });
    assert.deepEqual(outputsOf(await runCell(notebook(), 'shared')), [{ 'text/plain': '21' }]);
    await commands.executeCommand('hothouse.session.stopSharing');
    const refused = await callTool('run_code', { language: 'python', code: 'shared += 1', session_id: id });
    assert.match(refused, /There is no session/);
    await shareActive();
  });

  test('settings apply while the engine runs', async () => {
    const settings = workspace.getConfiguration('hothouse');
    await settings.update('limits.timeoutSeconds', 1, ConfigurationTarget.Global);
    const answer = await until('a timeout', async () => {
      const text = await callTool('run_code', { language: 'python', code: 'import time; time.sleep(3)' });
      return text.includes('timeout') ? text : undefined;
    });
    assert.match(answer, /timeout/);
    await settings.update('limits.timeoutSeconds', undefined, ConfigurationTarget.Global);
  });

  test('closing a notebook closes its session', async () => {
    while (window.activeNotebookEditor) {
      await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await until('the end of its session', async () => !(await callTool('list_sessions', {})).includes('Untitled'));
  });
}

/** Shares the session of the active notebook with agents. */
export async function shareActive(): Promise<void> {
  await commands.executeCommand('hothouse.session.share');
}

/** The result of a tool call, as text. */
export async function callTool(name: string, input: object): Promise<string> {
  const tool = toolNamed(name);
  assert.ok(tool, `the tool ${name}`);
  const options = { input, toolInvocationToken: undefined };
  const { content } = await lm.invokeTool(tool.name, options, new CancellationTokenSource().token);
  return content.map((part) => (part instanceof LanguageModelTextPart ? part.value : '')).join('\n');
}

function toolNamed(name: string) {
  return lm.tools.find((tool) => tool.name.includes('hothouse') && tool.name.endsWith(name));
}
