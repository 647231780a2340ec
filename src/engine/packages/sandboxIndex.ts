import { textsOf } from '../../host/bundle.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { PACKAGES } from '../environment/sandboxSpec.ts';
import { type AddedPackage, AddedPackages } from './types.ts';

/** The folder with a file for each folder of packages that is complete: what it has added. */
export const INDEX = 'index';

/** The packages that were installed into a sandbox, the latest last; none where that cannot be read. Never rejects. */
export async function addedIn(sandbox: Sandbox): Promise<AddedPackage[]> {
  try {
    const texts = await textsOf(await sandbox.getArchive(`${PACKAGES}/${INDEX}`));
    return [...texts]
      .sort(([one], [other]) => one.localeCompare(other))
      .flatMap(([, json]) => AddedPackages.parse(JSON.parse(json)));
  } catch {
    return [];
  }
}
