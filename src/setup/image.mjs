import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBaseImage, planBaseImage } from './baseImage.mjs';
import { ask, must } from './commands.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { dockerCommand, respondingDocker } from './dockerCli.mjs';
import { cli, out, programEnv, root } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

/**
 * An image that setup builds with `hothouse build language ...args`. `inputs` returns texts that
 * change when it must be rebuilt.
 *
 * @typedef {{ language: string, image: string, args: readonly string[], inputs: () => readonly string[] }} ImageBuild
 */

/** Builds the Python image unless it is current. */
export function ensurePythonImage() {
  return ensureImage(buildOf('python'));
}

/** The plan of `ensurePythonImage`. */
export function planPythonImage() {
  return planImage(buildOf('python'), "from Debian's packages, and two of PyPI", 890);
}

/** The languages, and the network proxy, whose images the tests with Docker need beside Python's, and their size in MB. */
const TESTED = { node: 250, bash: 130, csharp: 200, r: 250, proxy: 120 };

/** Builds the other images that the tests with Docker run, unless they are current. */
export async function ensureTestedImages() {
  for (const language of Object.keys(TESTED)) await ensureImage(buildOf(language));
}

/** The plan of `ensureTestedImages`. */
export async function planTestedImages() {
  const plans = Object.entries(TESTED).map(([language, mb]) =>
    planImage(buildOf(language), language === 'node' ? 'from PyPI' : "from Debian's packages", mb),
  );
  return (await Promise.all(plans)).flat();
}

function buildOf(language) {
  return {
    language,
    image: `hothouse/${language}:latest`,
    args: [],
    inputs: () => imageFolders(language),
  };
}

/** The hashes of the folders that a language's image is built from. */
export function imageFolders(language) {
  return [language, 'debian'].map((folder) => folderHash(join(root, 'images', folder)));
}

/** Builds an image unless Docker has it as built from the same inputs. */
export async function ensureImage(build) {
  if (await isCurrent(build)) return;
  const { language, image, args } = build;
  const base = await ensureBaseImage(await dockerCommand());
  const command = [cli, 'build', language, ...args, '--set', `${optionOf(build)}=${image}`, ...base];
  await must(`${language}-image`, process.execPath, command, { env: programEnv() });
  const stamp = await stampOf(build);
  if (!stamp)
    throw new SetupProblem(`The image ${image} was built, but Docker does not list it.`, `node ${cli} doctor`);
  mkdirSync(out, { recursive: true });
  writeFileSync(stampFile(build), stamp);
}

/** The option with the name of an image. */
function optionOf({ language }) {
  return language === 'proxy' ? 'network.proxyImage' : `${language}.image`;
}

/** The plan of `ensureImage`. */
export async function planImage(build, purpose, mb) {
  if (await isCurrent(build)) return [];
  return [...(await planBaseImage()), { verb: 'build', what: `the image ${build.image} ${purpose}`, mb }];
}

async function isCurrent(build) {
  const file = stampFile(build);
  return existsSync(file) && readFileSync(file, 'utf8') === (await stampOf(build));
}

/** A hash of an image's inputs and id; null if Docker does not have the image. */
async function stampOf({ image, inputs }) {
  const docker = await respondingDocker();
  const id = docker && (await ask(docker, ['image', 'inspect', '--format', '{{.Id}}', image]));
  return id && hashOf(...inputs(), id.trim());
}

function stampFile({ language }) {
  return join(out, `${language}-image`);
}
