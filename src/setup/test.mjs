#!/usr/bin/env node
// `npm test [-- --plan]`: says what it is going to do to the machine, sets it up as far as tests need it, then does every check;
// the last line is the count.
import { rmSync } from 'node:fs';
import { bundle, pack } from './build.mjs';
import { planConformanceVariables } from './conformance.mjs';
import { installDependencies, planDependencies } from './dependencies.mjs';
import { editorVariables, planEditorVariables } from './editor.mjs';
import { ensureEngine, planEngine } from './engine.mjs';
import { ensurePythonImage, planPythonImage } from './image.mjs';
import {
  ensureLeanImage,
  isLeanRequired,
  LEAN_IMAGE_VARIABLE,
  leanSource,
  NO_LEAN,
  planLeanImage,
  skippedLine,
} from './leanImage.mjs';
import { ourContainers, requireNoneLeft } from './leftovers.mjs';
import { logs } from './paths.mjs';
import { announce } from './plan.mjs';
import { fail, step } from './steps.mjs';
import { check, conformanceTests, countTests, editorTests, part, Tally, vitest } from './suite.mjs';

const PLANS = [
  planDependencies,
  planEngine,
  planPythonImage,
  planLeanImage,
  planEditorVariables,
  planConformanceVariables,
];
const tally = new Tally();

async function setUp() {
  await announce(PLANS);
  await step('Dependencies', installDependencies);
  // Without a build there is nobody to ask for an engine, and no later part could pass.
  await step('Extension and command line', bundle);
  await step('Container engine', ensureEngine);
  // Compiling the editor and building the image wait for different things.
  const [env] = await Promise.all([editorVariables(), step('Python environment', ensurePythonImage)]);
  return env;
}

/** The environment with the image of Lean; one that cannot be made is a failure that keeps no other test from being run. */
async function withLean(env) {
  if ((await leanSource()).kind === 'none') return env;
  try {
    return { ...env, [LEAN_IMAGE_VARIABLE]: await step('Lean environment', ensureLeanImage) };
  } catch (error) {
    await part(tally, 'Lean environment', () => Promise.reject(error));
    return env;
  }
}

async function testAll(env) {
  const before = await ourContainers();
  await part(tally, 'Types', () => check('types', 'typescript/bin/tsc', ['--noEmit']));
  await part(tally, 'Lint', () => check('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']));
  await part(tally, 'Unit tests', () => vitest('unit'));
  await part(tally, 'Conformance suite of MCP', conformanceTests);
  await part(tally, 'Packed extension', pack);
  await part(tally, 'Tests with Docker', () => vitest('docker'));
  await testLean(env);
  await part(tally, 'Attacks that are measured', () => vitest('measuring'));
  await Promise.all([part(tally, 'Attacks from inside', () => vitest('isolation')), testOutside()]);
  await part(tally, 'Tests in VS Code', () => editorTests(env));
  await part(tally, 'No container left behind', () => requireNoneLeft(before));
}

async function testLean({ [LEAN_IMAGE_VARIABLE]: image }) {
  if (image) await part(tally, 'Tests with Lean', () => vitest('lean', { [LEAN_IMAGE_VARIABLE]: image }));
  // One that could not be made was counted when it was tried.
  else if ((await leanSource()).kind === 'none') await skipLean();
}

/** Without a Lean the other tests still say something; in a CI job the result is a failure all the same. */
async function skipLean() {
  if (!isLeanRequired()) return console.log(skippedLine(await countTests('lean')));
  await part(tally, 'Tests with Lean', () => Promise.reject(new Error(`None could be run: ${NO_LEAN}`)));
}

/** Mostly a matter of waiting for what is broken to be noticed, so that others can work meanwhile. */
async function testOutside() {
  await part(tally, 'Faults', () => vitest('faults'));
  await part(tally, 'Attacks on the MCP server', () => vitest('clients'));
}

rmSync(logs, { recursive: true, force: true });
try {
  await testAll(await withLean(await setUp()));
} catch (error) {
  // The set-up: no check could be done.
  fail(error);
  tally.failed += 1;
}
if (tally.failed > 0) process.exitCode = 1;
console.log(`${tally.passed} passed, ${tally.failed} failed`);
