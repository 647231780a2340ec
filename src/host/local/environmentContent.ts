import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageBuild } from '../host.ts';

/** In a build's context: what builds it without a container engine. */
export const LOCAL = 'local';
/** Beside a build's context: what all of them share. */
const SHARED = join('..', 'environment');
/** Files of a build that say how this machine reaches package indexes, not what is installed. */
const MACHINE = 'machine/';

/**
 * The id of what a build makes: 32 hexadecimal digits of a digest of its programs and locks, of the packages that it names,
 * of what it is built on, and of `machine`, what the machine itself adds to it.
 */
export async function contentId(
  { context, files = {} }: ImageBuild,
  base: string | null,
  machine: string,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([base, machine]));
  const wanted = Object.entries(files).filter(([path]) => !path.startsWith(MACHINE));
  for (const entry of wanted.sort()) hash.update(JSON.stringify(entry));
  for (const folder of [join(context, LOCAL), join(context, SHARED), join(context, SHARED, LOCAL)]) {
    for (const entry of await filesIn(folder)) hash.update(JSON.stringify(entry));
  }
  return hash.digest('hex').slice(0, 32);
}

/** Names and texts of the files directly in a folder. */
async function filesIn(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), 'utf8')]),
  );
}
