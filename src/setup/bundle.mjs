import { statSync } from 'node:fs';
import { join } from 'node:path';
import { must } from './commands.mjs';
import { root, vsix } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

const MAX_VSIX_BYTES = 1_000_000;

/** Bundles the extension and the command line into dist. */
export function bundle() {
  return must('bundle', process.execPath, ['esbuild.mjs', '--production']);
}

/** Packages dist/hothouse.vsix; rejects when it is over the size limit. */
export async function pack() {
  const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
  const relaxed = ['--allow-missing-repository', '--no-rewrite-relative-links'];
  await must('pack', process.execPath, [vsce, 'package', '--no-dependencies', ...relaxed, '--out', vsix]);
  const { size } = statSync(vsix);
  if (size > MAX_VSIX_BYTES) throw new SetupProblem(`${vsix} has ${size} bytes; the limit is ${MAX_VSIX_BYTES}.`);
}
