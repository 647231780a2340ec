#!/usr/bin/env node
// `npm test [-- --plan]`: prints its plan, sets the machine up for tests, then runs every check; the last line is the count.
import { rmSync } from 'node:fs';
import { announce } from './announce.mjs';
import { bundle, pack } from './bundle.mjs';
import { planConformanceVariables } from './conformance.mjs';
import { installDependencies, planDependencies } from './dependencies.mjs';
import { ensureDocker, planDocker } from './docker.mjs';
import { editorVariables, planEditorVariables } from './editor.mjs';
import { ensurePythonImage, ensureTestedImages, planPythonImage, planTestedImages } from './image.mjs';
import { ensureLeanImage, LEAN_IMAGE_VARIABLE, leanSource, planLeanImage, skippedLean } from './leanImage.mjs';
import { listLeftovers, requireNoNewLeftovers } from './leftovers.mjs';
import { localAttacks, localTests } from './localTests.mjs';
import { planOrdinaryUser } from './ordinaryUser.mjs';
import { logs } from './paths.mjs';
import { planPodman, podmanTests } from './podman.mjs';
import { ensurePython, planPython } from './python.mjs';
import { fail, step } from './steps.mjs';
import { agentTests, check, conformanceTests, editorTests, part, Tally, vitest } from './suite.mjs';

const PLANS = [
  planDependencies,
  planPython,
  planDocker,
  planPythonImage,
  planTestedImages,
  planLeanImage,
  planOrdinaryUser,
  planPodman,
  planEditorVariables,
  planConformanceVariables,
];
const tally = new Tally();

async function setUp() {
  await announce(PLANS);
  // Not before: a plan that is only printed must not take the logs of a run along.
  rmSync(logs, { recursive: true, force: true });
  await step('Dependencies', installDependencies);
  // Setup finds Docker with the bundled command line, and no later part passes without it.
  await step('Extension and command line', bundle);
  await step('Container engine', ensureDocker);
  // Compiling the editor and building the image use different resources.
  const [env] = await Promise.all([editorVariables(), step('Python environment', ensurePythonImage)]);
  await step('Environments of other languages', ensureTestedImages);
  return env;
}

/** The environment with the Lean image. An image that cannot be built is one failure and does not stop other tests. */
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
  const before = await listLeftovers();
  await part(tally, 'Types', () => check('types', 'typescript/bin/tsc', ['--noEmit']));
  await part(tally, 'Lint', () => check('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']));
  await part(tally, 'Unit tests', () => vitest('unit'));
  await part(tally, 'Unit tests of the agent', testAgent);
  await part(tally, 'MCP conformance suite', conformanceTests);
  await part(tally, 'Packed extension', pack);
  await part(tally, 'Tests with Docker', () => vitest('docker'));
  await part(tally, 'Tests with Podman', podmanTests);
  await part(tally, 'Tests without a container engine', localTests);
  await part(tally, 'Attacks without a container engine', localAttacks);
  await testLean(env);
  await part(tally, 'Measured attacks', () => vitest('measuring'));
  await Promise.all([part(tally, 'Attacks from inside', () => vitest('isolation')), testOutside()]);
  await part(tally, 'Tests in VS Code', () => editorTests(env));
  await part(tally, 'Nothing left', () => requireNoNewLeftovers(before));
}

/** Without Python only this part fails. */
async function testAgent() {
  await ensurePython();
  return agentTests();
}

async function testLean({ [LEAN_IMAGE_VARIABLE]: image }) {
  if (image) await part(tally, 'Tests with Lean', () => vitest('lean', { [LEAN_IMAGE_VARIABLE]: image }));
  // An image that could not be built is counted already.
  else if ((await leanSource()).kind === 'none') await skipLean();
}

async function skipLean() {
  try {
    console.log(await skippedLean());
  } catch (error) {
    await part(tally, 'Tests with Lean', () => Promise.reject(error));
  }
}

/** These tests mostly wait for timeouts, so others can run at the same time. */
async function testOutside() {
  await part(tally, 'Faults', () => vitest('faults'));
  await part(tally, 'Attacks on the MCP server', () => vitest('clients'));
}

try {
  await testAll(await withLean(await setUp()));
} catch (error) {
  // Setup failed, and no check has run.
  fail(error);
  tally.failed += 1;
}
if (tally.failed > 0) process.exitCode = 1;
console.log(`${tally.passed} passed, ${tally.failed} failed`);
