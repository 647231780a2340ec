import { execFile } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../base/log.ts';
import { HostError } from '../host.ts';
import { machineArguments } from './arguments.ts';
import { NAMESPACES } from './bubblewrap.ts';

/** The only folders with programs that sandboxes see. */
const FOLDERS = ['/usr/local/bin', '/usr/bin'];
/** Of Python 3, the newest first: every package of the locks has wheels for these. */
const MINORS = [14, 13, 12, 11, 10, 9];
const PROBE_MS = 5_000;
/** Fails where a build of Python lacks what most have, or takes other wheels; prints the version. */
const PROBE = `
import sys
from importlib.util import find_spec
wanted = ("_bz2", "_ctypes", "_lzma", "_sqlite3", "_ssl", "resource", "venv", "zlib")
lacking = [name for name in wanted if find_spec(name) is None]
if lacking:
    sys.exit("it lacks the module " + lacking[0])
if sys.version_info < (3, 9):
    sys.exit("it is older than 3.9")
if sys.implementation.name != "cpython" or sys.abiflags:
    sys.exit("its build takes other packages")
import ctypes
print("%d.%d.%d" % sys.version_info[:3])
`;

/** The machine's Python, which runs the agent of every sandbox whose environment has none. */
export interface Python3 {
  readonly path: string;
  /** Such as `3.13.0`; null where none works as it should, and this one may not start. */
  readonly version: string | null;
  /** Why newer ones are not used, a sentence each. */
  readonly skipped: readonly string[];
  /** The programs of all Pythons that sandboxes may see, without links. */
  readonly programs: readonly string[];
}

/**
 * The newest Python of this machine that starts in a sandbox with all modules of a usual one; where none does, the first that
 * is there. Rejects with an error for people where there is none. `bubblewrap` resolves when no other sandbox is being tried: a
 * kernel may allow no second one.
 */
export async function findPython3(bubblewrap: Promise<unknown>): Promise<Python3> {
  const paths = await pathsHere();
  const programs = await Promise.all(paths.map((path) => realpath(path)));
  // Some are only other names of one before.
  const different = paths.filter((_, index) => programs.indexOf(programs[index] ?? '') === index);
  const hasChoice = different.length > 1;
  if (hasChoice) await bubblewrap;
  const skipped: string[] = [];
  for (const path of different) {
    const { version, why } = await probed(path, hasChoice ? inSandbox() : []);
    if (version !== null) return { path, version, skipped, programs };
    skipped.push(`${path} is not used: ${why}.`);
  }
  const path = paths.find((one) => basename(one) === 'python3') ?? paths[0];
  if (path === undefined) throw python3Needed(`There is no python3 in ${FOLDERS.join(' or ')}.`);
  return { path, version: null, skipped: [], programs };
}

/** The newest first, and those without a version last. */
async function pathsHere(): Promise<readonly string[]> {
  const names = [...MINORS.map((minor) => `python3.${minor}`), 'python3'];
  const paths = names.flatMap((name) => FOLDERS.map((folder) => join(folder, name)));
  const found = await Promise.all(paths.map(async (path) => ((await isProgram(path)) ? [path] : [])));
  return found.flat();
}

/** Starts a program where it sees what a sandbox sees of this machine. */
function inSandbox(): string[] {
  const walls = [...NAMESPACES, '--cap-drop', 'ALL', '--die-with-parent', '--clearenv'];
  return ['bwrap', ...walls, ...machineArguments(false)];
}

/** Starts it, where there is a choice behind `walls`: one that has libraries elsewhere does not start there. */
async function probed(path: string, walls: readonly string[]) {
  const [program = path, ...args] = [...walls, path, '-I', '-S', '-c', PROBE];
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: PROBE_MS, cwd: '/' });
    return { version: stdout.trim(), why: '' };
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return { version: null, why: said.split('\n').at(-1) || messageOf(error) };
  }
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Sandboxes cannot run with the machine's Python, or without one: `message` says why. */
export function python3Needed(message: string): HostError {
  return new HostError({
    kind: 'host_missing',
    message,
    advice: 'Install python3 3.9 or later from the packages of your system, or set the option host.kind to docker.',
    command: 'sudo apt-get install python3 python3-venv python3-pip',
  });
}
