import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from './apt.mjs';
import { answeringEngine } from './doctor.mjs';
import { root } from './paths.mjs';
import { asRoot } from './root.mjs';
import { ask, logged, must } from './run.mjs';

const SUITE = 'trixie';
/** A base that was made on this machine. */
const MADE = `hothouse/base:${SUITE}`;
const MAKERS = ['mmdebstrap', 'debian-archive-keyring', 'gpg'];
/** What the published slim image leaves out too. */
const LEFT_OUT = ['doc', 'man', 'info', 'locale', 'lintian'].map((name) => `/usr/share/${name}/*`);

/**
 * Sees to it that the engine has what images are built on: the one that they name, or where no registry has it, one made
 * from Debian's packages. Resolves with what `hothouse build` has to be told of it.
 */
export async function ensureBaseImage(engine) {
  const named = baseImage();
  if (await has(engine, named)) return [];
  if (!(await has(engine, MADE))) {
    if ((await logged('base-image', engine, ['pull', named], { timeout: 180_000 })) === 0) return [];
    await makeBaseImage(engine, MADE);
  }
  return ['--set', `docker.baseImage=${MADE}`];
}

/** What that does to the machine. */
export async function planBaseImage() {
  const engine = await answeringEngine();
  if (engine && ((await has(engine, baseImage())) || (await has(engine, MADE)))) return [];
  const made = `where no registry has it, it is made from Debian's packages by ${MAKERS.join(', ')}, which are installed`;
  return [{ verb: 'download', what: `Debian's slim base image; ${made}`, mb: 80 }];
}

/** What every image of ours is built on, by its digest. */
function baseImage() {
  return /^ARG BASE=(.*)$/m.exec(readFileSync(join(root, 'images/python/Dockerfile'), 'utf8'))[1];
}

async function has(engine, image) {
  return (await ask(engine, ['image', 'inspect', image])) !== null;
}

/** Makes a minimal Debian from its packages and imports it under the tag. */
async function makeBaseImage(engine, tag) {
  await installPackages(MAKERS, 'Making the base image without a registry');
  const tar = join(tmpdir(), `hothouse-base-${process.pid}.tar`);
  try {
    await must('base-image', ...(await asRoot(debstrap(tar), 'sudo npm start')), { cwd: tmpdir() });
    const change = [
      '--change',
      'CMD ["bash"]',
      '--change',
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ];
    await must('base-image', engine, ['import', ...change, tar, tag]);
  } finally {
    rmSync(tar, { force: true });
  }
}

function debstrap(tar) {
  const excluded = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
  const kept = '--dpkgopt=path-include=/usr/share/doc/*/copyright';
  const mirror = machineMirror();
  return ['mmdebstrap', '--mode=root', '--variant=minbase', ...excluded, kept, SUITE, tar, ...(mirror ? [mirror] : [])];
}

/** The first mirror of Debian that this machine's apt is set up with; null: mmdebstrap knows the public archive. */
export function machineMirror(sources = aptSources()) {
  const lines = sources.split('\n').filter((line) => /^\s*(deb\s|uris:)/i.test(line));
  const words = lines.flatMap((line) => line.split(/\s+/));
  return words.find((word) => /^https?:\/\/.*\/debian\/?$/.test(word)) ?? null;
}

function aptSources(folder = '/etc/apt') {
  const more = join(folder, 'sources.list.d');
  const names = list(more).filter((name) => /\.(list|sources)$/.test(name));
  return [join(folder, 'sources.list'), ...names.map((name) => join(more, name))].map(read).join('\n');
}

function list(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
