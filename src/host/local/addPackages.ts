import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError, type ImageBuild } from '../host.ts';
import type { Problem } from '../problem.ts';
import { BASE, ENVIRONMENT, machineArguments } from './arguments.ts';
import { NAMESPACES } from './bubblewrap.ts';
import { ProgramFailed, runBuildProgram } from './buildProgram.ts';
import { besides, type LocalBuild, sizeOf, writeFiles } from './makeEnvironment.ts';
import { removeFolder } from './storage.ts';

/** Exit status of a build without code of packages that needs it; `NEEDS_CODE` of its programs. */
const NEEDS_CODE = 10;
/** In a build's files: the packages that each manager installs. */
const PIP = 'packages/pip/list';
const NPM = 'packages/npm/list';
const ONLY_WITH_ENGINE = {
  'packages/apt/list': 'Debian packages need a container engine.',
  'packages/nuget/list': 'Packages of NuGet need a container engine.',
};

/** Folders of a build that adds packages to an environment. */
export interface LayerFolders {
  /** The environment that gets them. */
  readonly base: string;
  /** Empty; for the packages. */
  readonly files: string;
  /** Downloads of earlier builds. */
  readonly cache: string;
}

/** Whether a build adds packages. Rejects with an error for people where it adds some that it cannot add here. */
export function addsPackages({ files = {} }: ImageBuild): boolean {
  for (const [path, message] of Object.entries(ONLY_WITH_ENGINE)) {
    if (files[path]) throw new HostError(engineNeeded(message, 'Use packages of pip or npm'));
  }
  return Boolean(files[PIP]) || hasNpmPackages(files[NPM]);
}

/** Something that no environment of this host can have; `instead` is what to do without it. */
export function engineNeeded(message: string, instead: string): Problem {
  const advice = `${instead}, or start Docker or Podman and set the option host.kind to docker.`;
  return { kind: 'needs_engine', message, advice };
}

/**
 * Installs packages of pip and npm in a sandbox with the machine's network, where nothing of the user can be seen. First with
 * the cache and without code of packages, so that none can change the cache; then, where that does not do, without the cache
 * and with it. Rejects with the last lines of the step that has failed.
 */
export async function addPackages(build: LocalBuild, folders: LayerFolders): Promise<void> {
  const { given } = besides(folders.files);
  try {
    await writeFiles(given, build.files ?? {});
    await runAttempt(build, folders, false).catch(async (error) => {
      if (!(error instanceof ProgramFailed && error.status === NEEDS_CODE)) throw error;
      build.onLine('Once more, with code of packages and without the cache of downloads.');
      for (const name of await readdir(folders.files)) await removeFolder(join(folders.files, name));
      await runAttempt(build, folders, true);
    });
  } finally {
    await removeFolder(given);
  }
}

async function runAttempt(build: LocalBuild, folders: LayerFolders, runsCode: boolean): Promise<void> {
  // On the disk of the environment: what is built may not fit into memory.
  const { temporary } = besides(folders.files);
  const cache = runsCode ? join(temporary, 'cache') : folders.cache;
  try {
    await mkdir(temporary, { mode: 0o700 });
    await mkdir(cache, { recursive: true, mode: 0o700 });
    const program = ['python3', '-I', '/build/local/build.py', ...(runsCode ? ['--code'] : [])];
    const args = [...sandboxArguments(build), ...binds(build, { ...folders, cache }), ...program];
    // Its first process keeps the variables that it was started with, where code of packages can read them.
    await runBuildProgram({ ...build, env: { PATH: build.env.PATH }, program: 'bwrap', args });
  } finally {
    await removeFolder(temporary);
  }
}

function sandboxArguments({ buildArgs }: LocalBuild): string[] {
  const variables = {
    // Proxies of this machine.
    ...buildArgs,
    PATH: `${ENVIRONMENT}/bin:${BASE}/bin:/usr/local/bin:/usr/bin:/bin`,
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    HOTHOUSE_ROOT: ENVIRONMENT,
  };
  return [
    ...NAMESPACES.filter((name) => name !== '--unshare-net'),
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    ...['--hostname', 'build', '--uid', '1000', '--gid', '1000', '--clearenv'],
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...machineArguments(true),
  ];
}

function binds({ context }: LocalBuild, { base, files, cache }: LayerFolders): string[] {
  const { given, temporary } = besides(files);
  return [
    ...['--ro-bind', context, '/build'],
    ...['--ro-bind', given, '/given'],
    ...['--ro-bind', base, BASE],
    ...['--bind', files, ENVIRONMENT],
    ...['--bind', temporary, '/tmp'],
    ...['--bind', cache, '/cache'],
    ...['--chdir', '/tmp'],
  ];
}

function hasNpmPackages(text = '{}'): boolean {
  const { dependencies = {} }: { dependencies?: object } = JSON.parse(text);
  return Object.keys(dependencies).length > 0;
}

/** Removes folders of a cache, the least recently used first, until it takes at most `maxBytes`; the bytes that were freed. */
export async function trimCache(cache: string, maxBytes: number): Promise<number> {
  const names = await readdir(cache).catch(() => []);
  const folders = await Promise.all(
    names.map(async (name) => {
      const path = join(cache, name);
      return { path, bytes: await sizeOf(path), usedAt: (await stat(path)).mtimeMs };
    }),
  );
  folders.sort((one, other) => one.usedAt - other.usedAt);
  let total = folders.reduce((sum, { bytes }) => sum + bytes, 0);
  let freed = 0;
  for (const { path, bytes } of folders) {
    if (total <= maxBytes) break;
    await rm(path, { recursive: true, force: true });
    total -= bytes;
    freed += bytes;
  }
  return freed;
}
