/** Labels of every container and image we make; reaping goes by them. */
export const LABEL = {
  /** On every container of ours. */
  managed: 'dev.hothouse.managed',
  /** Identifies this machine and user, so that a shared engine's other users are left alone. */
  machine: 'dev.hothouse.machine',
  /** `<pid>:<start time>` of the process that owns it. */
  owner: 'dev.hothouse.owner',
  /** The environment it runs. */
  environment: 'dev.hothouse.environment',
  /** On images: the language they are for. */
  language: 'dev.hothouse.language',
  /** On images that only others are built from. */
  stage: 'dev.hothouse.stage',
} as const;

/** What the names of images begin with that Hothouse builds. */
const OWN_IMAGES = 'hothouse/';

/** Whether Hothouse builds images of this name; every other name is somebody else's. */
export function isOwnImage(image: string): boolean {
  return image.startsWith(OWN_IMAGES);
}
