import { join } from 'node:path';
import type { EngineDependencies, ImageSource } from '../deps.ts';

/** What builds need of the machine: proxies, mirrors, certificates. */
export type MachineSettings = Pick<ImageSource, 'buildArgs' | 'files'>;

/** Where every language's default image is built from: the folder of its name in `images`. */
export function imageSources(images: string, settings: () => Promise<MachineSettings>): EngineDependencies['images'] {
  const source = (name: string) => async () => ({ context: join(images, name), ...(await settings()) });
  return { python: source('python'), lean: source('lean') };
}
