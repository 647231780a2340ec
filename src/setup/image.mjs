import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBaseImage, planBaseImage } from './baseImage.mjs';
import { folderHash, hashOf } from './dependencies.mjs';
import { answeringEngine, doctor, engineCommand } from './doctor.mjs';
import { cli, out, programEnv, root } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { ask, must } from './run.mjs';

const STAMP = join(out, 'python-image');
const IMAGE = 'hothouse/python:latest';

/** Builds the Python environment, unless the engine has it as built from this checkout's files. */
export async function ensurePythonImage() {
  const found = await pythonImage();
  if (found && isCurrent(found.id)) return;
  const base = await ensureBaseImage(await engineCommand());
  await must('python-image', process.execPath, [cli, 'build', 'python', ...base], { env: programEnv() });
  const built = await pythonImage();
  if (!built) throw new SetupProblem('The Python environment was built, and is not there.', `node ${cli} doctor`);
  mkdirSync(out, { recursive: true });
  writeFileSync(STAMP, stampOf(built.id));
}

/** What that does to the machine. */
export async function planPythonImage() {
  const engine = await answeringEngine();
  const id = engine && (await ask(engine, ['image', 'inspect', '--format', '{{.Id}}', IMAGE]));
  if (id && isCurrent(id.trim())) return [];
  const what = `the image ${IMAGE} from Debian's packages`;
  return [...(await planBaseImage()), { verb: 'build', what, mb: 500 }];
}

function isCurrent(id) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stampOf(id);
}

function stampOf(id) {
  return hashOf(folderHash(join(root, 'images/python')), id);
}

async function pythonImage() {
  const { environments } = await doctor();
  return environments.find(({ language }) => language === 'python')?.image ?? null;
}
