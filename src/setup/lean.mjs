#!/usr/bin/env node
// `npm run lean [-- FILE]`: the tests with a real Lean alone.
import { spawn } from 'node:child_process';
import { bundle } from './build.mjs';
import { ensureLeanImage, LEAN_IMAGE_VARIABLE, skippedLine } from './leanImage.mjs';
import { root } from './paths.mjs';
import { ended } from './run.mjs';
import { fail } from './steps.mjs';
import { countTests } from './suite.mjs';

async function main() {
  await bundle();
  const image = await ensureLeanImage();
  if (image === null) return console.log(skippedLine(await countTests('lean')));
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'lean', ...process.argv.slice(2)];
  const env = { ...process.env, [LEAN_IMAGE_VARIABLE]: image };
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

await main().catch(fail);
