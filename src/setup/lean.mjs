#!/usr/bin/env node
// `npm run lean [-- FILE|--plan]`: prints its plan, then runs the tests with a real Lean.
import { spawn } from 'node:child_process';
import { announce } from './announce.mjs';
import { bundle } from './bundle.mjs';
import { ended } from './commands.mjs';
import { ensureLeanImage, LEAN_IMAGE_VARIABLE, leanSource, planLeanImage, skippedLean } from './leanImage.mjs';
import { root } from './paths.mjs';
import { fail } from './steps.mjs';

async function main() {
  await announce([planLeanImage]);
  if ((await leanSource()).kind === 'none') return console.log(await skippedLean());
  await bundle();
  const image = await ensureLeanImage();
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'lean', ...process.argv.slice(2)];
  const env = { ...process.env, [LEAN_IMAGE_VARIABLE]: image };
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

await main().catch(fail);
