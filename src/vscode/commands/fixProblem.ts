import { commands, env, type Terminal, Uri, window, workspace } from 'vscode';
import type { EngineProblem } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { formatProblem } from '../format.ts';
import { editorLanguage } from '../languages.ts';
import { openSetting } from '../settings.ts';
import { buildEnvironment, buildProxy } from './build.ts';
import { chooseFix, type Fix } from './chooseFix.ts';

/** How long to wait for a prompt: text that arrives earlier appears above it. */
const PROMPT_MS = 1_500;
const INSTALL_DOCS = Uri.parse('https://docs.docker.com/engine/install/');

/** Fixes the current problem, or checks again when there is none. */
export async function fixProblem(app: App): Promise<void> {
  const { blocking } = app.health;
  if (blocking) await applyFix(fixFor(blocking.problem, blocking.language), blocking.language, app);
  else await app.health.check();
}

/** Shows a problem of `language` with a button that fixes it. */
export async function showProblem(problem: EngineProblem, language: string, app: App): Promise<void> {
  const fix = fixFor(problem, language);
  const chosen = await window.showErrorMessage(formatProblem(problem), fix.label);
  if (chosen === fix.label) await applyFix(fix, language, app);
}

/** Applies a fix. */
export async function applyFix(fix: Fix, language: string, app: App): Promise<void> {
  switch (fix.kind) {
    case 'build':
      return buildEnvironment(language, app);
    case 'build_proxy':
      return buildProxy(app);
    case 'terminal':
      return openTerminal(fix.command);
    case 'setting':
      return openSetting(fix.key);
    case 'install_docs':
      return void (await env.openExternal(INSTALL_DOCS));
    case 'retry':
      return void (await commands.executeCommand('hothouse.doctor'));
  }
}

/** Types the command without running it: it may ask for a password or change the machine. */
async function openTerminal(command: string): Promise<void> {
  const terminal = window.createTerminal('Hothouse');
  terminal.show();
  await promptShown(terminal);
  terminal.sendText(command, false);
}

/** Resolves when shell integration reports the prompt, or after `PROMPT_MS` without shell integration. */
function promptShown(terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    };
    const timer = setTimeout(done, PROMPT_MS);
    const subscription = window.onDidChangeTerminalShellIntegration((change) => {
      if (change.terminal === terminal) done();
    });
  });
}

/** The fix for a problem of `language` under the current settings. */
export function fixFor(problem: EngineProblem, language: string): Fix {
  return chooseFix(
    problem,
    editorLanguage(language),
    workspace.getConfiguration('hothouse').get('docker.host', '') !== '',
  );
}
