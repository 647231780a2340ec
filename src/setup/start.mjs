#!/usr/bin/env node
// `npm start [-- --once|--plan]`: prints its plan, sets the machine up, runs a demo, then serves VS Code with the extension.
import { createInterface } from 'node:readline/promises';
import { announce } from './announce.mjs';
import { bundle, pack } from './bundle.mjs';
import { ask, must } from './commands.mjs';
import { demonstrate } from './demo.mjs';
import { installDependencies, planDependencies } from './dependencies.mjs';
import { ensureCodeServer, planCodeServer } from './editor.mjs';
import { serve } from './editorServer.mjs';
import { ensureHost, ensurePythonEnvironment, planHost } from './host.mjs';
import { vsix } from './paths.mjs';
import { isInteractive } from './root.mjs';
import { fail, step } from './steps.mjs';

const once = process.argv.includes('--once');

/** No answer in this time means no. */
const ANSWER_MS = 60_000;

async function main() {
  // A machine with a desktop VS Code needs no other.
  const planEditor = async () => (once || (await hasDesktopEditor()) ? [] : planCodeServer());
  await announce([planDependencies, planHost, planEditor]);
  await step('Dependencies', installDependencies);
  await step('Extension and command line', bundle);
  const host = await step('Where sandboxes run', ensureHost);
  console.log(`       ${host}`);
  await step('Python environment', ensurePythonEnvironment);
  await step('Packed extension', pack);
  await demonstrate();
  if (once) return;
  console.log('');
  if (await hasDesktopEditor()) return offerInstall();
  await serve(await step('VS Code in the browser', ensureCodeServer));
}

async function hasDesktopEditor() {
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  return Boolean(hasScreen) && (await ask('code', ['--version'], { timeout: ANSWER_MS })) !== null;
}

async function offerInstall() {
  const command = ['code', '--install-extension', vsix, '--force'];
  const isWanted = isInteractive() && (await agreed(`Install the extension into VS Code now (${command.join(' ')})?`));
  if (!isWanted) return console.log(`To use it in VS Code: ${command.join(' ')}`);
  await step('Installed; reload VS Code, then run "Hothouse: New Python Session"', () =>
    must('install', command[0], command.slice(1)),
  );
}

/** Whether the user agrees in time; Enter means yes. */
async function agreed(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [Y/n] `, { signal: AbortSignal.timeout(ANSWER_MS) });
    return !/^n/i.test(answer.trim());
  } catch {
    console.log('');
    return false;
  } finally {
    terminal.close();
  }
}

await main().catch(fail);
