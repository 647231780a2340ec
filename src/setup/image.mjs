import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBaseImage } from './baseImage.mjs';
import { hashOf } from './dependencies.mjs';
import { doctor, engineCommand } from './doctor.mjs';
import { cli, out, programEnv, root } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { must } from './run.mjs';

const STAMP = join(out, 'python-image');

/** Builds the Python environment, unless the engine has it as built from this checkout's files. */
export async function ensurePythonImage() {
  const files = contextHash(join(root, 'images/python'));
  const found = await pythonImage();
  if (found && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashOf(files, found.id)) return;
  const base = await ensureBaseImage(await engineCommand());
  await must('python-image', process.execPath, [cli, 'build', 'python', ...base], { env: programEnv() });
  const built = await pythonImage();
  if (!built) throw new SetupProblem('The Python environment was built, and is not there.', `node ${cli} doctor`);
  mkdirSync(out, { recursive: true });
  writeFileSync(STAMP, hashOf(files, built.id));
}

async function pythonImage() {
  const { environments } = await doctor();
  return environments.find(({ language }) => language === 'python')?.image ?? null;
}

function contextHash(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return hashOf(...paths.flatMap((path) => [path.slice(folder.length), readFileSync(path)]));
}
