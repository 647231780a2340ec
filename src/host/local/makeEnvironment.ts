import { access, constants, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError, type ImageBuild } from '../host.ts';
import type { Problem } from '../problem.ts';
import { ENVIRONMENT } from './arguments.ts';
import { runBuildProgram } from './buildProgram.ts';
import { LOCAL } from './environmentContent.ts';
import { python3Needed } from './python3.ts';
import { removeFolder } from './storage.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** In a build's context: the program that builds the environment here, if that can be done. */
const BUILD_PROGRAM = join(LOCAL, 'build.py');
/** In a build's context: the program that prints what of the machine its environment has, beside Python; optional. */
const FACTS = join(LOCAL, 'facts.py');
const INTERPRETER_FACTS =
  'import platform, sys; print(sys.version, platform.machine()); sys.exit(sys.version_info < (3, 9))';
/** Arguments of bubblewrap for a program that sees all of the machine, and ends with this process, with all that it has started. */
const TIED = ['--unshare-pid', '--die-with-parent', '--dev-bind', '/', '/', '--proc', '/proc'];

/** A build that can be cancelled, with its output. */
export interface LocalBuild extends ImageBuild {
  readonly env: Env;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * What the machine adds to an environment that `python3`, a path, builds: the version of that Python, and what the build asks
 * for. Rejects with an error for people.
 */
export async function machineFacts(build: LocalBuild, python3: string): Promise<string> {
  if (!(await canMake(build.context))) throw new HostError(onlyWithEngine(build.tag));
  const interpreter = await printed(build, python3, ['-c', INTERPRETER_FACTS]).catch(() => {
    throw python3Needed(`${python3} is older than 3.9.`);
  });
  const facts = join(build.context, FACTS);
  return (await can(facts, constants.R_OK))
    ? `${interpreter}\n${await printed(build, python3, ['-B', facts])}`
    : interpreter;
}

/**
 * Makes the environment of a language by `python3`, a path, in the empty folder `files`, which stays empty where the machine's
 * own programs are enough. Rejects with an error for people.
 */
export async function makeEnvironment(build: LocalBuild, python3: string, files: string): Promise<void> {
  const { given, temporary } = besides(files);
  try {
    await mkdir(temporary, { mode: 0o700 });
    await writeFiles(given, build.files ?? {});
    const places = { HOTHOUSE_MACHINE: join(given, 'machine'), TMPDIR: temporary };
    const args = ['-B', join(build.context, BUILD_PROGRAM), files, ENVIRONMENT];
    await runTied(build, { ...variablesOf(build), ...build.buildArgs, ...places }, [python3, ...args]);
  } finally {
    await removeFolder(temporary);
    await removeFolder(given);
  }
}

/** Folders of a build beside the one that it fills, so that they are on the same disk and a sweep finds them. */
export function besides(files: string): { readonly given: string; readonly temporary: string } {
  return { given: `${files}.given`, temporary: `${files}.tmp` };
}

/** Makes a folder and writes texts by their paths below it. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
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
  await runTied({ ...build, onLine: (line) => lines.push(line) }, variablesOf(build), [program, ...args]);
  return lines.join('\n');
}

async function runTied(build: LocalBuild, env: Env, command: readonly string[]): Promise<void> {
  await runBuildProgram({ ...build, env, program: 'bwrap', args: [...TIED, ...command] });
}

/** Whether an environment can be made from the folder of a build. */
export function canMake(context: string): Promise<boolean> {
  return can(join(context, BUILD_PROGRAM), constants.R_OK);
}

/** No environment of that name can be made here. */
export function onlyWithEngine(tag: string): Problem {
  return {
    kind: 'needs_engine',
    message: `Only a container engine can build ${tag}.`,
    advice: 'Start Docker or Podman and set the option host.kind to docker, or use another language.',
  };
}

function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
