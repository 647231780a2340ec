import { access, constants, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HostError, type ImageBuild } from '../host.ts';
import { ENVIRONMENT } from './arguments.ts';
import { runBuildProgram } from './buildProgram.ts';
import { LOCAL } from './environmentContent.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** In a build's context: the program that builds the environment here, if that can be done. */
const BUILD_PROGRAM = join(LOCAL, 'build.py');
/** In a build's context: the program that prints what of the machine its environment has, beside Python; optional. */
const FACTS = join(LOCAL, 'facts.py');
/** The only folders with programs that sandboxes see. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/bin'];
const INTERPRETER_FACTS =
  'import platform, sys; print(sys.version, platform.machine()); sys.exit(sys.version_info < (3, 9))';

/** A build that can be cancelled, with its output. */
export interface LocalBuild extends ImageBuild {
  readonly env: Env;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** What the machine adds to an environment: the version of its Python, and what the build asks for. Rejects with an error for people. */
export async function machineFacts(build: LocalBuild): Promise<string> {
  if (!(await can(join(build.context, BUILD_PROGRAM), constants.R_OK))) throw onlyWithEngine(build.tag);
  const python3 = await findPython3();
  const interpreter = await printed(build, python3, ['-c', INTERPRETER_FACTS]).catch(() => {
    throw interpreterNeeded(`${python3} is older than 3.9.`);
  });
  const facts = join(build.context, FACTS);
  return (await can(facts, constants.R_OK))
    ? `${interpreter}\n${await printed(build, python3, ['-B', facts])}`
    : interpreter;
}

/**
 * Makes the environment of a language in the empty folder `files`, which stays empty where the machine's own programs are
 * enough. Rejects with an error for people.
 */
export async function makeEnvironment(build: LocalBuild, files: string): Promise<void> {
  const given = await mkdtemp(join(tmpdir(), 'hothouse-build-'));
  try {
    await writeFiles(given, build.files ?? {});
    const env = { ...variablesOf(build), ...build.buildArgs, HOTHOUSE_MACHINE: join(given, 'machine') };
    const args = ['-B', join(build.context, BUILD_PROGRAM), files, ENVIRONMENT];
    await runBuildProgram({ ...build, env, program: await findPython3(), args });
  } finally {
    await rm(given, { recursive: true, force: true });
  }
}

/** Writes texts by their paths below a folder. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: 0o600 });
  }
}

/** Bytes of all files below a folder. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Those of this machine, and the folders that the build names, by their paths in its context. */
function variablesOf({ env, folders = {} }: LocalBuild): Env {
  return { ...env, HOTHOUSE_FOLDERS: JSON.stringify(folders) };
}

/** What a program prints. */
async function printed(build: LocalBuild, program: string, args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  await runBuildProgram({ ...build, env: variablesOf(build), program, args, onLine: (line) => lines.push(line) });
  return lines.join('\n');
}

/** The machine's Python that sandboxes see. Rejects with an error for people. */
export async function findPython3(): Promise<string> {
  for (const path of PROGRAM_FOLDERS.map((folder) => join(folder, 'python3'))) {
    if (await can(path, constants.X_OK)) return path;
  }
  throw interpreterNeeded(`There is no python3 in ${PROGRAM_FOLDERS.join(' or ')}.`);
}

function onlyWithEngine(tag: string): HostError {
  return new HostError({
    kind: 'build_failed',
    message: `Only a container engine can build ${tag}.`,
    advice: 'Start Docker or Podman and set the option host.kind to docker, or use another language.',
  });
}

function interpreterNeeded(message: string): HostError {
  return new HostError({
    kind: 'build_failed',
    message,
    advice: 'Install python3 3.9 or later from the packages of your system, or set the option host.kind to docker.',
    command: 'sudo apt-get install python3 python3-venv python3-pip',
  });
}

function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
