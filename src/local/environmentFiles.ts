import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvironmentStore } from '../engine/environment/environmentStore.ts';

/** Larger files are not read: a lock of some hundred packages has less than one MB. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * A store with one JSON file for each environment in `folder`, which the editor and the command line share. A file is
 * replaced at once, so that a reader sees the old or the new one.
 */
export function environmentFiles(folder: string): EnvironmentStore {
  const fileOf = (name: string) => join(folder, `${name}.json`);
  return {
    async list() {
      const names = await readdir(folder).catch(unlessAbsent([]));
      return Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => readJson(join(folder, name))));
    },
    read: async (name) => (isFileName(name) ? readJson(fileOf(name)) : null),
    async put(name, environment) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `.${name}.${randomUUID()}`);
      try {
        await writeFile(draft, `${JSON.stringify(environment, null, 2)}\n`, { mode: 0o600, flush: true });
        await rename(draft, fileOf(name));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    remove: (name) => rm(fileOf(name), { force: true }),
  };
}

function isFileName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/.test(name);
}

/** What a file holds; null when there is none, or no JSON in it. */
async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(unlessAbsent(''));
  try {
    return text.length > MAX_BYTES ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function unlessAbsent<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
    throw error;
  };
}
