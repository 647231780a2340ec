#!/usr/bin/env node
// `npm run e2e [-- host|ui]`: the tests in a real VS Code, on the extension as it is now.
import { spawn } from 'node:child_process';
import { announce } from './announce.mjs';
import { bundle, pack } from './bundle.mjs';
import { ended } from './commands.mjs';
import { editorVariables, planEditorVariables } from './editor.mjs';
import { ensureLeanImage, LEAN_IMAGE_VARIABLE, planLeanImage } from './leanImage.mjs';
import { planOrdinaryUser } from './ordinaryUser.mjs';
import { root } from './paths.mjs';
import { fail } from './steps.mjs';

async function main() {
  await announce([planEditorVariables, planLeanImage, planOrdinaryUser]);
  await bundle();
  await pack();
  const image = await ensureLeanImage();
  const env = { ...process.env, ...(await editorVariables()), ...(image && { [LEAN_IMAGE_VARIABLE]: image }) };
  const args = ['test/e2e/run.mjs', ...process.argv.slice(2)];
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

await main().catch(fail);
