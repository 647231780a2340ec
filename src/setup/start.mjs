#!/usr/bin/env node
// `npm start [-- --once]`: sets the machine up, shows the main job, then serves VS Code with the extension.
import { createInterface } from 'node:readline/promises';
import { bundle, pack } from './build.mjs';
import { demonstrate } from './demo.mjs';
import { installDependencies } from './dependencies.mjs';
import { ensureCodeServer } from './editor.mjs';
import { ensureEngine } from './engine.mjs';
import { ensurePythonImage } from './image.mjs';
import { vsix } from './paths.mjs';
import { ask, must } from './run.mjs';
import { serve } from './serve.mjs';
import { fail, step } from './steps.mjs';

const once = process.argv.includes('--once');

async function main() {
  await step('Dependencies', installDependencies);
  await step('Extension and command line', bundle);
  await step('Container engine', ensureEngine);
  await step('Python environment', ensurePythonImage);
  await step('Packed extension', pack);
  await demonstrate();
  if (once) return;
  console.log('');
  if (await hasDesktopEditor()) return offerInstall();
  await serve(await step('VS Code in the browser', ensureCodeServer));
}

async function hasDesktopEditor() {
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  return Boolean(hasScreen) && (await ask('code', ['--version'])) !== null;
}

async function offerInstall() {
  const command = ['code', '--install-extension', vsix, '--force'];
  if (!process.stdin.isTTY) return console.log(`To use it in VS Code: ${command.join(' ')}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Install the extension into VS Code now (${command.join(' ')})? [Y/n] `);
  terminal.close();
  if (/^n/i.test(answer.trim())) return;
  await step('Installed; reload VS Code, then run "Hothouse: New Python Session"', () =>
    must('install', command[0], command.slice(1)),
  );
}

await main().catch(fail);
