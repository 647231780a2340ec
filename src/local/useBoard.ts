import { randomUUID } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toDisposable } from '../base/disposable.ts';
import { type Log, messageOf } from '../base/log.ts';
import type { UseBoard } from '../engine/environment/warmTurns.ts';

/** Names of environments; drafts begin with a dot. */
const NAME = /^[a-z0-9][a-z0-9._-]*$/;

/**
 * A board in `folder`, with a file for each environment that names the engine that used it last. Resolves with a board on
 * which nobody else is seen when the folder cannot be watched.
 */
export async function useBoard(folder: string, owner: string, log: Log): Promise<UseBoard> {
  const listeners = new Set<(environment: string) => void>();
  const onFile = async (name: string | null) => {
    if (name === null || !NAME.test(name)) return;
    const user = await readFile(join(folder, name), 'utf8').catch(() => owner);
    if (user !== owner) for (const listener of [...listeners]) listener(name);
  };
  let watcher: FSWatcher | null = null;
  const unseen = (error: unknown) => log.debug(`Other engines are not seen: ${messageOf(error)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(unseen);
  const put = async (environment: string) => {
    const draft = join(folder, `.${randomUUID()}`);
    try {
      await writeFile(draft, owner, { mode: 0o600, flag: 'wx' });
      await rename(draft, join(folder, environment));
    } catch (error) {
      unseen(error);
      await rm(draft, { force: true });
    }
  };
  return {
    announce: (environment) => void put(environment),
    follow(listener) {
      listeners.add(listener);
      try {
        watcher ??= watch(folder, { persistent: false }, (_, name) => void onFile(name)).on('error', unseen);
      } catch (error) {
        unseen(error);
      }
      return toDisposable(() => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        watcher?.close();
        watcher = null;
      });
    },
  };
}
