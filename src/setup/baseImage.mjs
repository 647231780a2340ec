import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from './apt.mjs';
import { ask, logged, must } from './commands.mjs';
import { respondingDocker } from './dockerCli.mjs';
import { root } from './paths.mjs';
import { asRoot } from './root.mjs';

const SUITE = 'trixie';
/** The base image if it is made on this machine. */
const MADE = `hothouse/base:${SUITE}`;
const MAKERS = ['mmdebstrap', 'debian-archive-keyring', 'gpg'];
/** Excluded as in the published slim image. */
const LEFT_OUT = ['doc', 'man', 'info', 'locale', 'lintian'].map((name) => `/usr/share/${name}/*`);

/**
 * Provides the base image: the one that the Dockerfiles name, or if no registry has it, one made from Debian's packages.
 * Resolves with the arguments of `hothouse build` for it.
 */
export async function ensureBaseImage(docker) {
  const named = baseImage();
  if (await has(docker, named)) return [];
  if (!(await has(docker, MADE))) {
    if ((await logged('base-image', docker, ['pull', named], { timeout: 180_000 })) === 0) return [];
    await makeBaseImage(docker, MADE);
  }
  return ['--set', `docker.baseImage=${MADE}`];
}

/** The plan of `ensureBaseImage`. */
export async function planBaseImage() {
  const docker = await respondingDocker();
  if (docker && ((await has(docker, baseImage())) || (await has(docker, MADE)))) return [];
  const made = `if no registry has it, it is made from Debian's packages with ${MAKERS.join(', ')}, which are installed`;
  return [{ verb: 'download', what: `Debian's slim base image; ${made}`, mb: 80 }];
}

/** The base of every image, with its digest. */
function baseImage() {
  return /^ARG BASE=(.*)$/m.exec(readFileSync(join(root, 'images/python/Dockerfile'), 'utf8'))[1];
}

async function has(docker, image) {
  return (await ask(docker, ['image', 'inspect', image])) !== null;
}

/** Makes a minimal Debian from its packages and imports it under the tag. */
async function makeBaseImage(docker, tag) {
  await installPackages(MAKERS, 'Making the base image without a registry');
  const tar = join(tmpdir(), `hothouse-base-${process.pid}.tar`);
  try {
    await must('base-image', ...(await asRoot(await debstrap(tar), 'sudo npm start')), { cwd: tmpdir() });
    const change = [
      '--change',
      'CMD ["bash"]',
      '--change',
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ];
    await must('base-image', docker, ['import', ...change, tar, tag]);
  } finally {
    rmSync(tar, { force: true });
  }
}

async function debstrap(tar) {
  const excluded = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
  const kept = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
  // This runs after the dependencies are installed, so TypeScript can be loaded.
  const { tsImport } = await import('tsx/esm/api');
  const { machineBuildSettings } = await tsImport('../host/buildSettings.ts', import.meta.url);
  const { APT_MIRROR: mirror } = (await machineBuildSettings(process.env)).buildArgs;
  return ['mmdebstrap', '--mode=root', '--variant=minbase', ...excluded, kept, SUITE, tar, ...(mirror ? [mirror] : [])];
}
