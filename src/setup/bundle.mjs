#!/usr/bin/env node
// `npm run package`: bundles and packs the extension.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must, output } from './commands.mjs';
import { out, root, vsix } from './paths.mjs';
import { fail, SetupProblem } from './steps.mjs';

const MAX_VSIX_BYTES = 1_000_000;
const VSCE = join(root, 'node_modules/@vscode/vsce/vsce');

/** Bundles the extension and the command line into dist. */
export function bundle() {
  return must('bundle', process.execPath, ['esbuild.mjs', '--production']);
}

/**
 * Packages dist/hothouse.vsix; rejects when it is over the size limit. VS Code shows only pictures with an https address.
 * With a `repository` in package.json vsce makes their paths absolute; without one the packed README has no pictures.
 */
export async function pack() {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args = [VSCE, 'package', '--no-dependencies', '--out', vsix];
  if (repository) await must('pack', process.execPath, args);
  else {
    const relaxed = ['--allow-missing-repository', '--no-rewrite-relative-links'];
    await must('pack', process.execPath, [...args, ...relaxed], { cwd: await staged() });
  }
  const { size } = statSync(vsix);
  if (size > MAX_VSIX_BYTES) throw new SetupProblem(`${vsix} has ${size} bytes; the limit is ${MAX_VSIX_BYTES}.`);
}

/** README without the paragraphs and tables that hold pictures. */
export function withoutPictures(readme) {
  const isPicture = (block) => block.includes('![');
  return readme
    .split(/\n{2,}/)
    .filter((block) => !isPicture(block))
    .join('\n\n');
}

/** The files that are packed, by their paths in the checkout. */
export async function packedFiles() {
  const { status, text } = await output(process.execPath, [VSCE, 'ls', '--no-dependencies'], { cwd: root });
  if (status !== 0) throw new SetupProblem(`vsce could not list the files to pack: ${text}`);
  return text.split('\n').filter(Boolean);
}

/** Makes `folder` anew with these files of the checkout. */
export function stage(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
}

/** A folder with the files to pack and a README without pictures. */
async function staged() {
  const folder = join(out, 'package');
  stage(folder, ['.vscodeignore', ...(await packedFiles())]);
  writeFileSync(join(folder, 'README.md'), withoutPictures(readFileSync(join(root, 'README.md'), 'utf8')));
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle().then(pack).catch(fail);
