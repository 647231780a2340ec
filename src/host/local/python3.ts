import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../host.ts';

/** The only folders with programs that sandboxes see. */
const FOLDERS = ['/usr/local/bin', '/usr/bin'];

/** The path of the machine's Python, which runs the agent of every sandbox. Rejects with an error for people where there is none. */
export async function findPython3(): Promise<string> {
  for (const path of FOLDERS.map((folder) => join(folder, 'python3'))) {
    const canRun = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (canRun) return path;
  }
  throw python3Needed(`There is no python3 in ${FOLDERS.join(' or ')}.`);
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
