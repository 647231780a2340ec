import { join } from 'node:path';
import type { EngineDependencies, ImageSource } from '../deps.ts';

/** What builds need of the machine: proxies, mirrors, certificates. */
export type MachineSettings = Pick<ImageSource, 'buildArgs' | 'files'>;

/** Where every language's default image is built from: the folder of its name in `images`. */
export function imageSources(images: string, settings: () => Promise<MachineSettings>): EngineDependencies['images'] {
  return async (language) => ({ context: join(images, language), ...(await settings()) });
}
