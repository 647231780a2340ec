import path from 'node:path';
import type { HostWithImages } from '../../../src/host/host.ts';
import { localHost } from '../../../src/host/local/localHost.ts';

export const IMAGES = path.resolve(import.meta.dirname, '../../../images');

/** This machine as a host without a container engine, whose environments and sandboxes are in the home folder `home`. */
export function hostIn(home: string): HostWithImages {
  return localHost({ home, env: process.env, imagesFolder: IMAGES });
}
