#!/usr/bin/env node
// `npm run lean [-- FILE|--plan]`: says what it is going to do to the machine, then does the tests with a real Lean alone.
import { spawn } from 'node:child_process';
import { bundle } from './build.mjs';
import {
  ensureLeanImage,
  isLeanRequired,
  LEAN_IMAGE_VARIABLE,
  leanSource,
  NO_LEAN,
  planLeanImage,
  skippedLine,
} from './leanImage.mjs';
import { root } from './paths.mjs';
import { announce } from './plan.mjs';
import { SetupProblem } from './problem.mjs';
import { ended } from './run.mjs';
import { fail } from './steps.mjs';
import { countTests } from './suite.mjs';

async function main() {
  await announce([planLeanImage]);
  if ((await leanSource()).kind === 'none') return skip();
  await bundle();
  const image = await ensureLeanImage();
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'lean', ...process.argv.slice(2)];
  const env = { ...process.env, [LEAN_IMAGE_VARIABLE]: image };
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

async function skip() {
  if (isLeanRequired()) throw new SetupProblem(`The tests with Lean have to be run in a CI job, and ${NO_LEAN}`);
  console.log(skippedLine(await countTests('lean')));
}

await main().catch(fail);
