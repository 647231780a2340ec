import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { HostError, type ImageBuild } from '../host.ts';
import { ENVIRONMENT } from './arguments.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** In a build's context: the program that builds the environment here, if that can be done. */
const PROGRAM = join('local', 'build.py');
/** The only folders with programs that sandboxes see. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/bin'];
const IS_NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 9))';

/** A build that can be cancelled, with its output. */
export interface LocalBuild extends Pick<ImageBuild, 'context' | 'tag'> {
  readonly env: Env;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes an environment in the empty folder `files`, which stays empty where the machine's own programs are enough. Resolves
 * with the bytes of its files. Rejects with an error for people.
 */
export async function makeEnvironment(build: LocalBuild, files: string): Promise<number> {
  const program = join(build.context, PROGRAM);
  if (!(await can(program, constants.R_OK))) throw new Error(`Only a container engine can build ${build.tag}.`);
  const python3 = await findPython3();
  await run(build, python3, ['-c', IS_NEW_ENOUGH]).catch(() => {
    throw interpreterNeeded(`${python3} is older than 3.9.`);
  });
  await run(build, python3, [program, files, ENVIRONMENT]);
  return sizeOf(files);
}

async function findPython3(): Promise<string> {
  for (const path of PROGRAM_FOLDERS.map((folder) => join(folder, 'python3'))) {
    if (await can(path, constants.X_OK)) return path;
  }
  throw interpreterNeeded(`There is no python3 in ${PROGRAM_FOLDERS.join(' or ')}.`);
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

/** Rejects with the last line that the program has written when it fails. */
async function run({ env, onLine, signal }: LocalBuild, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let last = `${program} has failed.`;
  const both = new PassThrough();
  for (const stream of [child.stdout, child.stderr]) stream.pipe(both, { end: false });
  createInterface(both).on('line', (line) => {
    last = line || last;
    onLine(line);
  });
  const [status] = await once(child, 'close');
  both.end();
  if (status !== 0) throw new Error(last);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
