import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvironmentFolders } from './localEnvironments.ts';
import type { Python3 } from './python3.ts';

/** What starts the agent of an environment. */
export interface Interpreter {
  /** Path or name of the program, as a sandbox sees it. */
  readonly program: string;
  /** The same one outside, which is the machine's own; null where a package may have put anything there. */
  readonly compiler: string | null;
}

/** The Python that an environment was built with; for one that has none, the machine's. */
export async function interpreterOf(environment: EnvironmentFolders, machine: Python3): Promise<Interpreter> {
  for (const folder of [environment.environment, environment.base ?? []].flat()) {
    const path = python3In(folder);
    if (await isThere(path)) return { program: 'python3', compiler: await ownOf(path, machine) };
  }
  return { program: machine.path, compiler: machine.path };
}

/** Whether an environment in this folder brings a Python. */
export function hasPython3(folder: string): Promise<boolean> {
  return isThere(python3In(folder));
}

/** It comes first on the path of a sandbox. */
function python3In(folder: string): string {
  return join(folder, 'bin', 'python3');
}

/** Where a link leads, if that is a Python of this machine. */
async function ownOf(link: string, { programs }: Python3): Promise<string | null> {
  const target = await realpath(link).catch(() => null);
  return target !== null && programs.includes(target) ? target : null;
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
