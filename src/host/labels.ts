/**
 * Labels of every container and image of ours; the reaper reads them. Values have the form that every host accepts: at
 * most 63 of `[A-Za-z0-9._-]`, with a letter or digit at both ends.
 */
export const LABEL = {
  /** On every container of ours. */
  managed: 'dev.hothouse.managed',
  /** Identifies this machine and user, so that a shared host's other users are left alone. */
  machine: 'dev.hothouse.machine',
  /** The lease that its owner holds; see `lease.ts`. */
  owner: 'dev.hothouse.owner',
  /** On containers that are the proxy of another one. */
  proxy: 'dev.hothouse.proxy',
  /** The environment it runs. */
  environment: 'dev.hothouse.environment',
  /** On images: the language they are for. */
  language: 'dev.hothouse.language',
  /** On images of environments: the id of the image that they were built on. */
  base: 'dev.hothouse.base',
  /** On images that only others are built from. */
  stage: 'dev.hothouse.stage',
} as const;

/** What the names of images begin with that Hothouse builds. */
const OWN_IMAGES = 'hothouse/';

/** Whether Hothouse builds images of this name; every other image belongs to others. */
export function isOwnImage(image: string): boolean {
  return image.startsWith(OWN_IMAGES);
}
