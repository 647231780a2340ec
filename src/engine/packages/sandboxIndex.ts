import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { PACKAGES } from '../environment/sandboxSpec.ts';
import { type AddedPackage, AddedPackages } from './types.ts';

/** The folder with a file for each folder of packages that is complete: what it has added. */
export const INDEX = 'index';

/** The packages that were installed into a sandbox, the latest last; none where that cannot be read. Never rejects. */
export async function addedIn(sandbox: Sandbox): Promise<AddedPackage[]> {
  const added = new Map<string, readonly AddedPackage[]>();
  try {
    const entries = extract();
    entries.on('entry', ({ type, name }, content, next) => {
      text(content).then((json) => {
        if (type === 'file') added.set(name, AddedPackages.parse(JSON.parse(json)));
        next();
      }, next);
    });
    await pipeline(await sandbox.getArchive(`${PACKAGES}/${INDEX}`), entries);
  } catch {
    return [];
  }
  return [...added].sort(([one], [other]) => one.localeCompare(other)).flatMap(([, packages]) => packages);
}
