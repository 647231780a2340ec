import { commands, env, type Terminal, Uri, window, workspace } from 'vscode';
import type { EngineProblem, LanguageId } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { EDITOR_LANGUAGES } from '../languages.ts';
import { openSetting } from '../settings.ts';
import { buildEnvironment } from './build.ts';
import { chooseFix, type Fix } from './chooseFix.ts';

/** What is sent before the prompt is there ends up above it. */
const PROMPT_MS = 1_500;
const INSTALL_DOCS = Uri.parse('https://docs.docker.com/engine/install/');

/** Does the one thing that mends the present problem. */
export async function fixProblem(app: App): Promise<void> {
  const { obstacle } = app.health;
  if (obstacle) await applyFix(fixFor(obstacle.problem, obstacle.language), obstacle.language, app);
  else await app.health.check();
}

/** Says a problem that was met with a language and offers its fix. */
export async function showProblem(problem: EngineProblem, language: LanguageId, app: App): Promise<void> {
  const fix = fixFor(problem, language);
  const chosen = await window.showErrorMessage(`${problem.message} ${problem.advice}`, fix.label);
  if (chosen === fix.label) await applyFix(fix, language, app);
}

/** Does what a fix is. */
export async function applyFix(fix: Fix, language: LanguageId, app: App): Promise<void> {
  switch (fix.kind) {
    case 'build':
      return buildEnvironment(language, app);
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

/** The command waits for the user's Enter: it may ask for a password or change the machine. */
async function openTerminal(command: string): Promise<void> {
  const terminal = window.createTerminal('Hothouse');
  terminal.show();
  await promptShown(terminal);
  terminal.sendText(command, false);
}

/** Resolves when the shell has said that it is ready, or after a moment where shells do not say so. */
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

/** What mends a problem that was met with a language, with the user's settings as they are. */
export function fixFor(problem: EngineProblem, language: LanguageId): Fix {
  return chooseFix(
    problem,
    EDITOR_LANGUAGES[language],
    workspace.getConfiguration('hothouse').get('docker.host', '') !== '',
  );
}
